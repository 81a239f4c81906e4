"""Play and watch in a terminal, by mouse and keys. It stands on `tenmatch.client` alone."""
