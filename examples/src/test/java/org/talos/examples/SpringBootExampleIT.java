// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of examples/spring-boot, built by Maven as its user would, against a server and a database. */
@Tag("full") // spring
@Tag("servers")
@Timeout(480)
class SpringBootExampleIT {
    private static final String BALANCES = "SELECT customer || ' ' || cents FROM balance ORDER BY customer";
    private static final Duration LONGEST = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private URI shop = URI.create("http://127.0.0.1");

    private Program start(Path jar, ShopServer server, ShopDatabase database) throws Exception {
        Map<String, String> environment = server.environment("DATABASE_URL", database.url());
        environment.put("PORT", "0");
        Program program = Program.start(jar, environment);
        program.awaitOutput("Started ShopApplication");
        shop = URI.create("http://127.0.0.1:"
                + program.awaitOutput("Tomcat started on port (\\d+)").group(1));
        return program;
    }

    private void order(String customer, long cents) throws Exception {
        String order = String.format(Locale.ROOT, "{\"customer\": \"%s\", \"cents\": %d}", customer, cents);
        HttpRequest request = HttpRequest.newBuilder(shop.resolve("/orders"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(order))
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    }

    private String meter(String name) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(shop.resolve("/actuator/metrics/" + name))
                .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }

    private void awaitMeter(String name, String value) {
        await().atMost(LONGEST).untilAsserted(() -> assertThat(meter(name)).contains("\"value\":" + value + "}"));
    }

    @Test
    void ordersAreBookedOnceThoughTheProgramIsKilledAndThenAskedToEndAndMetersCount() throws Exception {
        Path jar = new OutsideBuild(directory).jar("spring-boot");
        try (ShopServer server = new ShopServer(directory.resolve("data"));
                ShopDatabase database = new ShopDatabase(directory)) {
            try (Program program = start(jar, server, database)) {
                order("ann", 100);
                order("bob", 200);
                database.awaitColumn(BALANCES, "ann 100", "bob 200");
                awaitMeter("talos.producer.stored.messages", "2.0");
                awaitMeter("talos.consumer.partitions", "2.0");
                awaitMeter("talos.consumer.lag", "0.0");
                try (Connection lock = database.locked("SELECT * FROM balance")) {
                    order("ann", 1_000);
                    database.awaitBlocked(); // the transaction that books is not committed
                    program.kill();
                    database.abortBlocked();
                    lock.rollback();
                }
            }

            try (Program program = start(jar, server, database)) {
                database.awaitColumn(BALANCES, "ann 1100", "bob 200"); // once the killed member's locks have ended
                try (Connection lock = database.locked("SELECT * FROM balance")) {
                    order("bob", 10_000);
                    database.awaitBlocked();
                    program.terminate(); // what is polled is still booked and committed
                    lock.rollback();
                }
                program.awaitEnd();
            }

            assertThat(database.column(BALANCES)).containsExactly("ann 1100", "bob 10200");
            assertThat(database.column("SELECT sent FROM outbox")).containsOnly("TRUE");
            assertThat(server.messages("orders")).hasSize(4);
            assertThat(server.lag("orders", "booking")).isZero();
        }
    }
}
