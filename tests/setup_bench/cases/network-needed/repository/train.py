import urllib.request

URL = "http://data.marbeck-lab.invalid/digits.gz"
print("downloading", URL)
with urllib.request.urlopen(URL, timeout=10) as response:
    print(len(response.read()))
