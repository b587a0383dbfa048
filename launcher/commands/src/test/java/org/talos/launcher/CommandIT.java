// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CommandIT {
    @TempDir
    Path home;

    private CommandFixture server;

    @BeforeEach
    void start() throws Exception {
        server = new CommandFixture(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String talos(String... arguments) {
        return server.talos(arguments);
    }

    private int refused(String... arguments) {
        return server.code(arguments);
    }

    @Test
    void topicLivesFromCreationToDeletion() {
        assertThat(talos("topic", "create", "orders", "--partitions", "3", "--retention", "2h"))
                .contains("partitions 0 to 2");
        assertThat(talos("topic", "list")).contains("orders").contains("7200");

        talos("topic", "alter", "orders", "--retention", "1d");
        assertThat(talos("topic", "describe", "orders")).contains("86400", "admin#orders#");

        talos("topic", "delete", "orders", "--yes");
        assertThat(talos("topic", "list")).doesNotContain("orders");
        assertThat(refused("topic", "describe", "orders")).isEqualTo(3);
    }

    @Test
    void settingsOfTheServerAreShown() {
        assertThat(talos("cluster", "settings")).contains("  dataDirectory: ").doesNotContain("  console.enabled: ");
        assertThat(talos("cluster", "settings", "--all")).contains("  console.enabled: true\n");
        assertThat(talos("cluster", "settings", "-o", "json")).contains("\"key\":\"console.enabled\"");
    }

    @Test
    void whatIsPutIsGot() {
        talos("topic", "create", "orders", "--partitions", "2");

        talos("put", "orders", "ä €", "two words", "--partition", "1");

        assertThat(talos("get", "orders", "--partition", "1")).isEqualTo("ä €\ntwo words\n");
        assertThat(talos("get", "orders")).isEqualTo("ä €\ntwo words\n");
        assertThat(talos("get", "orders", "--partition", "1", "--offset", "1", "--offsets"))
                .isEqualTo("1\t1\ttwo words\n");
        assertThat(talos("get", "orders", "--partition", "0")).isEmpty();
        assertThat(talos("get", "orders", "--count", "1")).isEqualTo("ä €\n");
    }

    @Test
    void linesArePutInOrderAndEmptyOnesLeftOut() {
        talos("topic", "create", "orders", "--partitions", "1");
        String lines =
                IntStream.range(0, 2_500).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());

        assertThat(server.piped("\n" + lines + "\nlast", "put", "orders", "-", "--compression", "zstd"))
                .contains("put 2501 messages to orders, partition 0");

        assertThat(talos("get", "orders")).isEqualTo(lines + "last\n");
        assertThat(talos("get", "orders", "--offset", "latest")).endsWith("last\n");
    }

    @Test
    void keyChoosesThePartition() {
        talos("topic", "create", "orders", "--partitions", "64");

        String said = talos("put", "orders", "m", "--key", "some customer");

        assertThat(said).isEqualTo(talos("put", "orders", "m", "--key", "some customer"));
        String partition = said.strip().replaceAll(".* ", "");
        assertThat(talos("get", "orders", "--partition", partition)).isEqualTo("m\nm\n");
    }

    @Test
    void offsetBeyondTheEndIsAnError() {
        talos("topic", "create", "orders", "--partitions", "1");

        assertThat(refused("get", "orders", "--partition", "0", "--offset", "77"))
                .isEqualTo(1);
        assertThat(refused("get", "orders", "--partition", "9")).isEqualTo(3);
        assertThat(server.err()).contains("MESSAGE_OFFSET_OUT_OF_RANGE", "orders has 0 to 0");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void quotasAreSetShownAppliedForAndTaken() throws Exception {
        talos("topic", "create", "orders", "--partitions", "1");
        Path bob = Files.writeString(home.resolve("bob"), talos("user", "add", "bob", "--org", "CL1"));
        talos("quota", "set", "--topic", "orders", "--put-bytes", "1", "--space", "1000000");
        talos("topic", "grant", "orders", "bob", "put");
        assertThat(talos("topic", "rights", "orders")).contains("bob", "admin");
        assertThat(talos("quota", "show", "--topic", "orders")).contains("1000000");
        talos("put", "orders", "from bob", "--credentials", bob.toString()); // its bytes take a while
        assertThat(refused("put", "orders", "too many", "--credentials", bob.toString()))
                .isEqualTo(1);
        assertThat(server.err()).contains("THROTTLE_REJECT_ERROR");
        talos("quota", "delete", "--topic", "orders");

        talos("quota", "set", "--user", "bob", "--topics", "3");
        assertThat(talos("quota", "list")).contains("bob");
        assertThat(talos("quota", "show", "--credentials", bob.toString())).contains("you");
        talos("quota", "apply", "CL1", "9", "--reason", "growth", "--credentials", bob.toString());
        assertThat(talos("quota", "orgs")).contains("CL1", "waits", "growth");
        talos("quota", "approve", "CL1", "8");
        assertThat(talos("quota", "orgs")).contains("approved");
        assertThat(refused("quota", "refuse", "CL1")).isEqualTo(3);
        talos("quota", "apply", "CL1", "99", "--credentials", bob.toString());
        assertThat(refused("quota", "take-back", "CL1")).isEqualTo(1);
        talos("quota", "refuse", "CL1");
        assertThat(talos("quota", "orgs")).contains("approved");
        talos("quota", "take-back", "CL1");
        assertThat(talos("quota", "orgs")).doesNotContain(" 8 ");
        assertThat(refused("quota", "take-back", "CL1")).isEqualTo(3);
        talos("quota", "delete", "--user", "bob");
    }

    @Test
    void userMayDoWhatWasGrantedUntilRevokedOrRemoved() throws Exception {
        talos("topic", "create", "orders", "--partitions", "1");
        Path bob = Files.writeString(home.resolve("bob"), talos("user", "add", "bob"));
        String[] put = {"put", "orders", "from bob", "--credentials", bob.toString()};
        String[] get = {"get", "orders", "--credentials", bob.toString()};
        assertThat(refused(put)).isEqualTo(1);

        talos("topic", "grant", "orders", "bob", "put");
        talos(put);
        assertThat(refused(get)).isEqualTo(1);
        talos("topic", "grant", "orders", "bob", "all");
        assertThat(talos(get)).isEqualTo("from bob\n");
        talos("topic", "revoke", "orders", "bob");
        assertThat(refused(get)).isEqualTo(1);
        talos("user", "remove", "bob", "--yes");
        assertThat(refused("user", "remove", "bob", "--yes")).isEqualTo(3);

        assertThat(refused(put)).isEqualTo(1);
        assertThat(server.err()).contains("PERMISSION_DENIED_ERROR", "401");
        assertThat(talos("user", "list")).contains("admin").doesNotContain("bob");
    }

    @Test
    void rotatedKeyTakesThePlaceOfTheOldOne() throws Exception {
        Path old = Files.writeString(home.resolve("bob"), talos("user", "add", "bob"));
        Path fresh = home.resolve("bob-2");

        talos("user", "rotate", "bob", "--grace", "1h", "--out", fresh.toString());
        assertThat(talos("topic", "list", "--credentials", fresh.toString())).startsWith("TOPIC");
        assertThat(talos("topic", "list", "--credentials", old.toString())).startsWith("TOPIC");
        Path last = Files.writeString(home.resolve("bob-3"), talos("user", "rotate", "bob"));

        assertThat(talos("topic", "list", "--credentials", last.toString())).startsWith("TOPIC");
        assertThat(refused("topic", "list", "--credentials", fresh.toString())).isEqualTo(1);
        assertThat(refused("topic", "list", "--credentials", old.toString())).isEqualTo(1);
        assertThat(server.err()).contains("401");
        assertThat(refused("user", "rotate", "nobody")).isEqualTo(3);
    }
}
