# SPDX-License-Identifier: Apache-2.0
"""A shop's orders by the client that was made from the server's description."""

import json
import os

from talos_rest import ApiClient, ApiException, Batch, Configuration, DefaultApi, Fetch, Join, NewMessage, NewTopic

configuration = Configuration(
    host=os.environ.get("TALOS_ENDPOINT", "http://127.0.0.1:8080"),
    username=os.environ["TALOS_ACCESS_KEY"],
    password=os.environ["TALOS_SECRET_KEY"],
)

with ApiClient(configuration) as client:
    talos = DefaultApi(client)
    talos.create_topic(NewTopic(name="python-orders", partitions=2))

    orders = [NewMessage(value=json.dumps({"order": n}), key=f"customer-{n % 3}") for n in range(30)]
    for attempt in range(2):  # the second is known by its key, and stores nothing
        stored = talos.put("python-orders", Batch(messages=orders), idempotency_key="the-first-thirty")
    print("stored", len(stored.messages), "messages")

    member = talos.join("python-orders", "billing", Join(lease=20_000)).member
    done, seen = [], set()
    while len(seen) < len(orders):
        work = talos.fetch_as_member("python-orders", "billing", member, Fetch(commit=done, wait=1_000, max_messages=10))
        seen.update(json.loads(message.value)["order"] for message in work.messages)
        done = work.next
    talos.fetch_as_member("python-orders", "billing", member, Fetch(commit=done))
    talos.leave("python-orders", "billing", member)
    print("billed", len(seen), "orders, lag", talos.show_group("python-orders", "billing").lag)

    try:
        talos.show_topic("no-such-topic")
    except ApiException as failure:
        problem = json.loads(failure.body)
        print(failure.status, problem["code"], problem["outcome"])

    talos.delete_topic("python-orders")
