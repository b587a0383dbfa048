// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;

/**
 * Puts the rows of the outbox to a topic, and marks them as sent. The row's {@code event_id} is the put's idempotency
 * key. So a row that was put and not marked is put once more, and the server does not store it again.
 */
@Component
class OutboxRelay {
    private static final int ROWS = 500; // in one round

    private final JdbcClient database;
    private final TalosProducer producer;

    OutboxRelay(JdbcClient database, TalosProducer producer) {
        this.database = database;
        this.producer = producer;
    }

    record Row(long id, String eventId, String customer, long cents) {
        OutgoingMessage message() {
            return OutgoingMessage.of(Long.toString(cents)).withKey(customer).withHeader("event-id", eventId);
        }
    }

    /** One round. Spring logs a failure, and the next round sends the same rows again. */
    @Scheduled(fixedDelay = 200)
    void relay() {
        List<Row> rows = database.sql(
                        "SELECT id, event_id, customer, cents FROM outbox WHERE NOT sent ORDER BY id LIMIT ?")
                .param(ROWS)
                .query(Row.class)
                .list();
        List<CompletableFuture<PutResult>> puts = new ArrayList<>();
        rows.forEach(row -> puts.add(producer.send(row.message(), row.eventId())));
        puts.forEach(CompletableFuture::join);
        for (Row row : rows) {
            database.sql("UPDATE outbox SET sent = TRUE WHERE id = ?")
                    .param(row.id())
                    .update();
        }
    }
}
