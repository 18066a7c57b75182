import os

key = os.environ["TRACKER_API_KEY"]
if len(key) != 40:
    raise SystemExit("api_key not configured (no-tty). call tracker.login(key=[your_api_key])")
print("tracking")
