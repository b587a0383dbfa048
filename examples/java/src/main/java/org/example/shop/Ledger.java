// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.talos.client.TalosClientException;
import org.talos.client.WakeupException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TopicPartition;

/**
 * Adds orders to the balances of their customers, each exactly once. A transaction that changes balances also writes
 * the next offset of each partition, and the consumer starts from those. So the balances hold an order if, and only if,
 * its offset is below the next one.
 *
 * <p>The group's commits only show people its lag ({@code bin/talos group describe}). No reading depends on them.
 *
 * <p>Confined: one thread.
 */
final class Ledger {
    private final Connection database;
    private final PollingConsumer consumer;

    /** @param consumer with assigned partitions, not started */
    Ledger(Connection database, PollingConsumer consumer) {
        this.database = database;
        this.consumer = consumer;
    }

    /** Books until the program is asked to end, then commits. A failure ends it, too: the next start continues. */
    void run(Stop stop) throws SQLException, TalosClientException, InterruptedException {
        database.setAutoCommit(false);
        consumer.start();
        for (TopicPartition each : consumer.partitions()) {
            start(each);
        }
        stop.onRequest(consumer::wakeup);
        try {
            while (!stop.isRequested()) {
                book(consumer.poll(Duration.ofSeconds(10)));
            }
        } catch (WakeupException e) {
            System.out.println("asked to end; all that was polled is booked");
        }
        consumer.commit();
    }

    private void start(TopicPartition partition) throws SQLException, TalosClientException {
        try (PreparedStatement select = prepare(
                "SELECT next_offset FROM booked WHERE topic = ? AND topic_partition = ?",
                partition.topic(),
                partition.partition())) {
            ResultSet found = select.executeQuery();
            if (found.next()) {
                consumer.seek(partition, found.getLong(1));
            } else {
                consumer.seek(partition, StartPosition.EARLIEST); // whatever the group has committed
            }
        }
    }

    private void book(List<FetchedMessage> messages) throws SQLException {
        Map<TopicPartition, List<FetchedMessage>> byPartition = messages.stream()
                .collect(Collectors.groupingBy(each -> new TopicPartition(each.topic(), each.partition())));
        try {
            for (TopicPartition partition : byPartition.keySet()) {
                book(partition, byPartition.get(partition));
            }
            database.commit();
        } finally {
            database.rollback(); // nothing after a commit
        }
    }

    private void book(TopicPartition partition, List<FetchedMessage> messages) throws SQLException {
        for (FetchedMessage message : messages) {
            add(message.key().orElse("unknown"), Long.parseLong(message.text()));
        }
        FetchedMessage last = messages.get(messages.size() - 1);
        move(partition, messages.get(0).offset(), last.offset() + 1);
    }

    private void add(String customer, long cents) throws SQLException {
        if (update("UPDATE balance SET cents = cents + ? WHERE customer = ?", cents, customer) == 0) {
            update("INSERT INTO balance (cents, customer) VALUES (?, ?)", cents, customer);
        }
    }

    /**
     * Writes the next offset of a partition. If two programs read the same partition by mistake, the second one finds
     * that the offset has passed its messages, and ends.
     */
    private void move(TopicPartition partition, long from, long to) throws SQLException {
        String key = " WHERE topic = ? AND topic_partition = ?";
        String topic = partition.topic();
        int number = partition.partition();
        if (update("UPDATE booked SET next_offset = ?" + key + " AND next_offset <= ?", to, topic, number, from) == 0) {
            // Fails if there is a row: another program has booked these messages.
            update("INSERT INTO booked (next_offset, topic, topic_partition) VALUES (?, ?, ?)", to, topic, number);
        }
    }

    private int update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values)) {
            return statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
        PreparedStatement statement = database.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
