"""What ``python -m infra.publish`` is made of: private records become public ones."""
