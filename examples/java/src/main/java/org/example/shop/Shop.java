// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.consumer.TopicPartition;
import org.talos.client.producer.TalosProducer;

/** The three programs of the shop: {@code relay}, {@code booking} and {@code shipping}. */
public final class Shop {
    private static final String ORDERS = "orders";
    private static final String DEAD_LETTERS = "orders-dead";
    private static final Duration CLOSING = Duration.ofSeconds(10);
    private static final Duration ENDING = Duration.ofSeconds(25); // Kubernetes waits 30 s; Docker 10 s by default

    private Shop() {}

    public static void main(String[] arguments) throws Exception {
        try (Stop stop = new Stop(ENDING);
                TalosClient client = client()) {
            switch (arguments.length == 1 ? arguments[0] : "") {
                case "relay" -> relay(client, stop);
                case "booking" -> book(client, stop);
                case "shipping" -> ship(client, stop);
                default -> throw new IllegalArgumentException("expected: relay, booking or shipping");
            }
        }
    }

    private static void relay(TalosClient client, Stop stop) throws Exception {
        try (Connection database = database();
                TalosProducer producer = new TalosProducer(client, ORDERS)) {
            new OutboxRelay(database, producer).run(stop);
        }
    }

    private static void book(TalosClient client, Stop stop) throws Exception {
        try (Connection database = database()) {
            PollingConsumer consumer = TalosConsumer.builder(client, "booking")
                    .assign(allPartitions(client))
                    .buildPolling();
            try {
                new Ledger(database, consumer).run(stop);
            } finally {
                consumer.close(CLOSING);
            }
        }
    }

    private static void ship(TalosClient client, Stop stop) throws Exception {
        try (TalosProducer letters = new TalosProducer(client, DEAD_LETTERS)) {
            TalosConsumer consumer = TalosConsumer.builder(client, "shipping")
                    .topics(ORDERS)
                    .config(ConsumerConfig.builder()
                            .start(StartPosition.EARLIEST)
                            .build())
                    .processor(new DeadLetters(Shop::ship, 3, Duration.ofMillis(100), letters))
                    .onEnd(failure -> stop.request())
                    .build();
            try {
                consumer.start();
                stop.await();
            } finally {
                consumer.close(CLOSING); // the processors finish their messages, which are committed
            }
        }
    }

    private static void ship(FetchedMessage order) {
        long cents = Long.parseLong(order.text()); // fails for anything but an order
        System.out.println("shipped to " + order.key().orElseThrow() + " for " + cents);
    }

    private static List<TopicPartition> allPartitions(TalosClient client) throws TalosClientException {
        int partitions = new TalosAdmin(client).describeTopic(ORDERS).partitions();
        return IntStream.range(0, partitions)
                .mapToObj(each -> new TopicPartition(ORDERS, each))
                .toList();
    }

    private static TalosClient client() {
        return new TalosClient(ClientConfig.of(
                URI.create(setting("TALOS_ENDPOINT")), setting("TALOS_ACCESS_KEY"), setting("TALOS_SECRET_KEY")));
    }

    private static Connection database() throws SQLException, IOException {
        Connection database = DriverManager.getConnection(setting("DATABASE_URL"));
        try (InputStream schema = Shop.class.getResourceAsStream("/schema.sql");
                Statement statement = database.createStatement()) {
            statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
        }
        return database;
    }

    private static String setting(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalArgumentException("the environment has no " + name);
        }
        return value;
    }
}
