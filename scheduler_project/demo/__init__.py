"""Three jobs on real input, to see the platform at work: `make up` lays them out."""
