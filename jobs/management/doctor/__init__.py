"""What ``manage.py doctor`` looks at: a module a subject, each yielding findings with the mend of what is wrong."""
