// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;

/** The programs of examples/java, built by Maven as their user would, against a server and a database. */
@Timeout(300)
class JavaExampleIT {
    @TempDir
    private static Path built;

    private static Path jar;

    @TempDir
    private Path directory;

    private ShopServer server;
    private ShopDatabase database;

    @BeforeAll
    static void build() throws Exception {
        jar = new OutsideBuild(built).jar("java");
    }

    @BeforeEach
    void start() throws Exception {
        server = new ShopServer(directory.resolve("data"));
        database = new ShopDatabase(directory);
        database.change(Files.readString(jar.resolveSibling("classes/schema.sql")));
    }

    @AfterEach
    void stop() throws Exception {
        database.close();
        server.close();
    }

    private Program program(String name) throws Exception {
        return Program.start(jar, server.environment("DATABASE_URL", database.url()), name);
    }

    private void order(String customer, long cents) throws Exception {
        try (TalosProducer producer = new TalosProducer(server.client(), "orders")) {
            producer.send(OutgoingMessage.of(Long.toString(cents)).withKey(customer))
                    .get();
        }
    }

    @Test
    void rowThatWasPutAndNotMarkedWhenTheRelayWasKilledIsNotStoredTwice() throws Exception {
        database.change("INSERT INTO outbox (customer, cents) VALUES ('ann', 100), ('bob', 200), ('ann', 300)");

        try (Connection lock = database.locked("SELECT * FROM outbox WHERE cents = 100");
                Program relay = program("relay")) {
            database.awaitBlocked(); // all rows are put, none is marked
            relay.kill();
            database.abortBlocked();
            lock.rollback();
        }
        assertThat(server.messages("orders")).hasSize(3);
        assertThat(database.column("SELECT sent FROM outbox")).containsOnly("FALSE");
        try (Program relay = program("relay")) {
            database.awaitColumn("SELECT sent FROM outbox", "TRUE", "TRUE", "TRUE");
            relay.terminate();
            relay.awaitEnd();
        }

        assertThat(server.messages("orders"))
                .extracting(message -> message.headers().get("event-id"))
                .containsExactlyInAnyOrderElementsOf(database.column("SELECT event_id FROM outbox"));
    }

    @Test
    void ordersAreBookedOnceThoughTheProgramIsKilledAndThenAskedToEnd() throws Exception {
        String balances = "SELECT customer || ' ' || cents FROM balance ORDER BY customer";
        order("ann", 100);
        order("bob", 200);
        try (Program booking = program("booking")) {
            database.awaitColumn(balances, "ann 100", "bob 200"); // and the group has committed nothing
            try (Connection lock = database.locked("SELECT * FROM booked")) {
                order("ann", 1_000);
                database.awaitBlocked(); // the balance is changed, the transaction is not committed
                booking.kill();
                database.abortBlocked();
                lock.rollback();
            }
        }

        try (Program booking = program("booking")) {
            database.awaitColumn(balances, "ann 1100", "bob 200");
            try (Connection lock = database.locked("SELECT * FROM booked")) {
                order("bob", 10_000);
                database.awaitBlocked();
                booking.terminate(); // what is polled is still booked and committed
                lock.rollback();
            }
            booking.awaitEnd();
        }

        assertThat(database.column(balances)).containsExactly("ann 1100", "bob 10200");
        assertThat(server.lag("orders", "booking")).isZero();
    }

    @Test
    void messageThatFailsThreeTimesGoesToAnotherTopicAndTheGroupGoesOn() throws Exception {
        order("ann", 100);
        try (TalosProducer producer = new TalosProducer(server.client(), "orders")) {
            producer.send(OutgoingMessage.of("no number").withKey("ann").withHeader("event-id", "17"))
                    .get();
        }
        order("ann", 300);

        try (Program shipping = program("shipping")) {
            shipping.awaitOutput("shipped to ann for 300");
            shipping.terminate();
            shipping.awaitEnd();
        }

        List<FetchedMessage> dead = server.messages("orders-dead");
        assertThat(dead).singleElement().satisfies(letter -> {
            assertThat(letter.text()).isEqualTo("no number");
            assertThat(letter.key()).contains("ann");
            assertThat(letter.headers())
                    .containsEntry("event-id", "17")
                    .containsEntry("dead-letter-attempts", "3")
                    .hasEntrySatisfying(
                            "dead-letter-from", from -> assertThat(from).matches("orders/[01]/1"))
                    .hasEntrySatisfying(
                            "dead-letter-reason",
                            reason -> assertThat(reason).contains("NumberFormatException", "no number"));
        });
        assertThat(server.lag("orders", "shipping")).isZero();
    }
}
