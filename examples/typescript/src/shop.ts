// SPDX-License-Identifier: Apache-2.0
// A shop's orders by the client that was made from the server's description.

import { Configuration, DefaultApi, ResponseError, type Position } from "./client/index.js";

const talos = new DefaultApi(new Configuration({
    basePath: process.env.TALOS_ENDPOINT ?? "http://127.0.0.1:8080",
    username: process.env.TALOS_ACCESS_KEY,
    password: process.env.TALOS_SECRET_KEY,
}));
const topic = "typescript-orders";
const group = "billing";

await talos.createTopic({ newTopic: { name: topic, partitions: 2 } });

const messages = Array.from({ length: 30 }, (_, n) => ({ value: JSON.stringify({ order: n }), key: `customer-${n % 3}` }));
for (let attempt = 0; attempt < 2; attempt++) { // the second is known by its key, and stores nothing
    await talos.put({ topic, batch: { messages }, idempotencyKey: "the-first-thirty" });
}

const { member } = await talos.join({ topic, group, join: { lease: 20_000 } });
let done: Position[] = [];
const seen = new Set<number>();
while (seen.size < messages.length) {
    const work = await talos.fetchAsMember({ topic, group, member, fetch: { commit: done, wait: 1_000, maxMessages: 10 } });
    work.messages.forEach(message => seen.add(JSON.parse(message.value ?? "{}").order));
    done = work.next;
}
await talos.fetchAsMember({ topic, group, member, fetch: { commit: done } });
await talos.leave({ topic, group, member });
console.log(`billed ${seen.size} orders, lag ${(await talos.showGroup({ topic, group })).lag}`);

try {
    await talos.showTopic({ topic: "no-such-topic" });
} catch (failure) {
    if (!(failure instanceof ResponseError)) {
        throw failure;
    }
    const problem = await failure.response.json();
    console.log(failure.response.status, problem.code, problem.outcome);
}

await talos.deleteTopic({ topic });
