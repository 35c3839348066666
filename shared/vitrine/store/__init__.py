"""One DynamoDB table: what outlives a request, written under conditions."""
