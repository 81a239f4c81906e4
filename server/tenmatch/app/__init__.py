"""Where everything is built and run: settings, wiring, HTTP answers, logs, the command line."""
