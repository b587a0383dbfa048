// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import org.talos.client.consumer.Checkpoint;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;

/**
 * Adds orders to the balances of their customers, each exactly once, as a member of a group. A transaction that changes
 * balances also writes the partition's next offset. The group commits later, so after a crash a member may get messages
 * again. It begins at the offset of the database, and leaves out those before it.
 *
 * <p>After a restore of the database from a backup, reset the group to the offsets in the table.
 *
 * <p>Thread-safe: each partition has its own thread.
 */
@Component
class Ledger implements MessageProcessor {
    private final JdbcClient database;
    private final TransactionTemplate transaction;

    Ledger(JdbcClient database, TransactionTemplate transaction) {
        this.database = database;
        this.transaction = transaction;
    }

    @Override
    public void process(List<FetchedMessage> messages, Checkpoint checkpoint) {
        transaction.executeWithoutResult(status -> book(messages)); // if it fails, the messages come again
    }

    private void book(List<FetchedMessage> messages) {
        FetchedMessage last = messages.get(messages.size() - 1);
        long next = lockedOffset(last.topic(), last.partition());
        for (FetchedMessage message : messages) {
            if (message.offset() >= next) {
                add(message.key().orElse("unknown"), Long.parseLong(message.text()));
            }
        }
        database.sql("UPDATE booked SET next_offset = ? WHERE topic = ? AND topic_partition = ?")
                .params(Math.max(next, last.offset() + 1), last.topic(), last.partition())
                .update();
    }

    /** The lock keeps out a member that has lost the partition and does not know it yet. */
    private long lockedOffset(String topic, int partition) {
        String select = "SELECT next_offset FROM booked WHERE topic = ? AND topic_partition = ? FOR UPDATE";
        return database.sql(select)
                .params(topic, partition)
                .query(Long.class)
                .optional()
                .orElseGet(() -> {
                    database.sql("INSERT INTO booked (topic, topic_partition, next_offset) VALUES (?, ?, 0)")
                            .params(topic, partition)
                            .update();
                    return 0L;
                });
    }

    private void add(String customer, long cents) {
        int rows = database.sql("UPDATE balance SET cents = cents + ? WHERE customer = ?")
                .params(cents, customer)
                .update();
        if (rows == 0) {
            database.sql("INSERT INTO balance (customer, cents) VALUES (?, ?)")
                    .params(customer, cents)
                    .update();
        }
    }
}
