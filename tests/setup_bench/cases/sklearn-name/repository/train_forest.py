from sklearn.ensemble import RandomForestClassifier

print(RandomForestClassifier())
