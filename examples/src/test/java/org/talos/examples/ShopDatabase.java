// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.tools.Server;

/**
 * The database of an example, in this JVM, so that it outlives programs that are killed. The test holds a program at a
 * statement by a lock on the row that the statement changes.
 *
 * <p>Confined: one thread.
 */
final class ShopDatabase implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final String BLOCKED = " FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL";

    /** Databases in memory belong to the JVM, whatever server made them: each needs a name of its own. */
    private static final AtomicInteger MADE = new AtomicInteger();

    private final String name = "shop" + MADE.incrementAndGet();
    private final Server server;
    private final Connection connection;

    ShopDatabase(Path directory) throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
                .start();
        connection = DriverManager.getConnection(url());
        connection.setAutoCommit(false);
    }

    String url() {
        return String.format(
                Locale.ROOT,
                "jdbc:h2:tcp://127.0.0.1:%d/mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=%d",
                server.getPort(),
                name,
                LONGEST.toMillis());
    }

    /** Changes rows, and commits. */
    void change(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
        connection.commit();
    }

    /** The first column of what a query finds, as texts. Commits, so that the next one sees what others have done. */
    List<String> column(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                values.add(found.getString(1));
            }
        }
        connection.commit();
        return values;
    }

    /** Waits until a query finds these. */
    void awaitColumn(String sql, String... expected) {
        await().atMost(LONGEST).untilAsserted(() -> assertThat(column(sql)).containsExactly(expected));
    }

    /** Locks rows by a query {@code FOR UPDATE}, in a transaction of its own, until the lock is closed. */
    Connection locked(String query) throws SQLException {
        Connection lock = DriverManager.getConnection(url());
        lock.setAutoCommit(false);
        try (Statement statement = lock.createStatement();
                ResultSet rows = statement.executeQuery(query + " FOR UPDATE")) {
            assertThat(rows.next()).as(query).isTrue();
        }
        return lock;
    }

    /** Waits until a program waits for a lock. */
    void awaitBlocked() {
        awaitColumn("SELECT COUNT(*)" + BLOCKED, "1");
    }

    /** Ends what waits for a lock, as a database does once it notices that the program is gone. */
    void abortBlocked() throws SQLException {
        column("SELECT ABORT_SESSION(SESSION_ID)" + BLOCKED);
        awaitColumn("SELECT COUNT(*)" + BLOCKED, "0");
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        server.stop();
    }
}
