// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code get --group}: a member that commits what it has printed. */
@Timeout(60)
class GroupGetIT {
    @TempDir
    private static Path home;

    private static CommandFixture server;

    @BeforeAll
    static void start() throws Exception {
        server = new CommandFixture(home);
    }

    @BeforeEach
    void create() {
        server.talos("topic", "create", "orders", "--partitions", "2");
        server.piped("0\n1\n2\n3\n4\n", "put", "orders", "--partition", "1");
    }

    @AfterEach
    void delete() {
        server.talos("topic", "delete", "orders", "--yes");
        server.err();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String lag(String group) {
        return server.talos("group", "describe", "orders", group)
                .replaceFirst("(?s).*lag: ", "")
                .strip();
    }

    @Test
    void eachMessageIsPrintedOnceForTheGroup() {
        server.talos("put", "orders", "other", "--partition", "0");

        assertThat(server.talos("get", "orders", "--group", "shipping").lines())
                .containsExactlyInAnyOrder("0", "1", "2", "3", "4", "other")
                .containsSubsequence("0", "1", "2", "3", "4");
        assertThat(lag("shipping")).isEqualTo("0");
        assertThat(server.talos("get", "orders", "--group", "shipping")).isEmpty();

        server.talos("put", "orders", "later", "--partition", "0");
        assertThat(server.talos("get", "orders", "--group", "shipping")).isEqualTo("later\n");
        assertThat(server.talos("get", "orders", "--group", "billing", "--count", "6")
                        .lines())
                .hasSize(6);
    }

    @Test
    void nextOneGoesOnBehindTheCount() {
        assertThat(server.talos("get", "orders", "--group", "shipping", "--count", "2", "--offsets"))
                .isEqualTo("1\t0\t0\n1\t1\t1\n");
        assertThat(lag("shipping")).isEqualTo("3");

        assertThat(server.talos("get", "orders", "--group", "shipping", "--follow", "--count", "3", "--stream"))
                .isEqualTo("2\n3\n4\n");
        assertThat(lag("shipping")).isEqualTo("0");
    }

    @Test
    void whatTheFilterPassesOverCountsAsRead() {
        assertThat(server.talos("get", "orders", "--group", "shipping", "--grep", "[13]"))
                .isEqualTo("1\n3\n");
        assertThat(lag("shipping")).isEqualTo("0");
    }

    @Test
    void memberLeavesItsPartitionsToTheNext() {
        server.talos("get", "orders", "--group", "shipping", "--count", "1");

        assertThat(server.code("group", "reset", "orders", "shipping", "--to", "earliest", "--execute"))
                .as("which is refused while there are members")
                .isZero();
    }

    @Test
    void groupsOfAllTopicsAreListed() throws Exception {
        server.talos("topic", "create", "bills", "--partitions", "1");
        server.talos("group", "reset", "bills", "mail", "--to", "latest", "--execute");
        server.talos("group", "reset", "orders", "shipping", "--to", "latest", "--execute");
        server.talos("group", "reset", "orders", "billing", "--to", "latest", "--execute");

        assertThat(server.talos("group", "list").replaceAll(" +", " "))
                .isEqualTo("TOPIC GROUP\nbills mail\norders billing\norders shipping\n");
        assertThat(server.json("group", "list"))
                .hasToString("{\"topics\":[{\"topic\":\"bills\",\"groups\":[\"mail\"]},"
                        + "{\"topic\":\"orders\",\"groups\":[\"billing\",\"shipping\"]}]}");
        server.talos("topic", "delete", "bills", "--yes");
    }
}
