"""The main job, told as a story on the embedded stack."""
