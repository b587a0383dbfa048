// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;

/**
 * Puts the rows of the outbox table to a topic, and marks them as sent. The row's {@code event_id} is the put's
 * idempotency key. So a relay that died after a put, and before the mark, puts the row once more, and the server does
 * not store it again.
 *
 * <p>The server knows a key for {@code log.dedupeAge}, 10 minutes by default. For a relay that may be down longer, the
 * id is in a header as well: readers can skip messages that they have seen.
 *
 * <p>Confined: one thread.
 */
final class OutboxRelay {
    private static final int ROWS = 500; // in one round
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Connection database; // commits each statement
    private final TalosProducer producer;

    OutboxRelay(Connection database, TalosProducer producer) {
        this.database = database;
        this.producer = producer;
    }

    private record Row(long id, String eventId, String customer, long cents) {
        OutgoingMessage message() {
            return OutgoingMessage.of(Long.toString(cents)).withKey(customer).withHeader("event-id", eventId);
        }
    }

    /** Relays until the program is asked to end. A failure ends it, too: the next start sends those rows again. */
    void run(Stop stop) throws SQLException, InterruptedException {
        do {
            relay();
        } while (!stop.isRequestedWithin(PAUSE));
    }

    private void relay() throws SQLException {
        List<Row> rows = unsent();
        List<CompletableFuture<PutResult>> puts = new ArrayList<>();
        for (Row row : rows) {
            puts.add(producer.send(row.message(), row.eventId()));
        }
        puts.forEach(CompletableFuture::join); // the SDK has made all safe retries
        markSent(rows);
    }

    private List<Row> unsent() throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement select = database.prepareStatement(
                "SELECT id, event_id, customer, cents FROM outbox WHERE NOT sent ORDER BY id LIMIT " + ROWS)) {
            ResultSet found = select.executeQuery();
            while (found.next()) {
                rows.add(new Row(found.getLong(1), found.getString(2), found.getString(3), found.getLong(4)));
            }
        }
        return rows;
    }

    private void markSent(List<Row> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement update = database.prepareStatement("UPDATE outbox SET sent = TRUE WHERE id = ?")) {
            for (Row row : rows) {
                update.setLong(1, row.id());
                update.addBatch();
            }
            update.executeBatch();
        }
        System.out.println("sent " + rows.size() + " rows");
    }
}
