"""Jobs on real input, to see the platform at work, and a receiver for their calls: `make up` lays them out."""
