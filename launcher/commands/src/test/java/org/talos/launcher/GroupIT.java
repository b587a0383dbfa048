// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupReset.Move;

/** Consumer groups as the command and the SDK see them; the group itself reads over REST. */
@Timeout(60)
class GroupIT {
    private static final OptionalLong NEVER = OptionalLong.empty();

    @TempDir
    private static Path home;

    private static CommandFixture server;
    private static GroupAdmin groups;

    @BeforeAll
    static void start() throws Exception {
        server = new CommandFixture(home);
        groups = new GroupAdmin(new TalosClient(server.endpoint()).once());
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

    private JsonNode rest(String method, String path, String body) throws Exception {
        TalosEndpoint endpoint = server.endpoint();
        String key = endpoint.accessKey() + ":" + endpoint.secretKey();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + "/v1/topics/orders/groups" + path))
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(key.getBytes(UTF_8)))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return answer.body().isEmpty() ? new JsonMapper().createObjectNode() : new JsonMapper().readTree(answer.body());
    }

    /** A member that has processed two of the five messages. */
    private String member() throws Exception {
        String member = rest("POST", "/shipping/members", "{}").get("member").textValue();
        rest("POST", "/shipping/members/" + member + "/fetch", "{\"maxMessages\": 2}");
        rest("POST", "/shipping/members/" + member + "/commit", "{\"offsets\": [{\"partition\": 1, \"offset\": 2}]}");
        return member;
    }

    private void leave(String member) throws Exception {
        rest("DELETE", "/shipping/members/" + member, "");
    }

    private static String squeezed(String table) {
        return table.replaceAll(" +", " ").replaceAll("(?m)^ ", "");
    }

    @Test
    void describedIsWhoReadsAndHowFar() throws Exception {
        String member = member();
        String idle = rest("POST", "/shipping/members", "{}").get("member").textValue();
        rest("POST", "/shipping/members", "{}");

        assertThat(server.talos("group", "list", "orders")).isEqualTo("shipping\n");
        assertThat(squeezed(server.talos("group", "describe", "orders", "shipping")))
                .startsWith("PARTITION COMMITTED END LAG MEMBER\n")
                .contains("1 2 5 3 ", member, idle)
                .endsWith("lag: 3\n");
        assertThat(server.json("group", "list", "orders")).hasToString("{\"groups\":[\"shipping\"]}");
        assertThat(server.json("group", "describe", "orders", "shipping")).isEqualTo(rest("GET", "/shipping", ""));
    }

    @Test
    void resetIsShownFirstAndThenDone() throws Exception {
        leave(member());

        assertThat(squeezed(server.talos("group", "reset", "orders", "shipping", "--to", "earliest")))
                .contains("\n1 2 0\n", "nothing is changed yet: --execute does it");
        assertThat(groups.describe("orders", "shipping").lag()).hasValue(3);
        assertThat(server.json("group", "reset", "orders", "shipping", "--to", "earliest", "--execute"))
                .hasToString("{\"preview\":false,\"partitions\":[{\"partition\":0,\"to\":0},"
                        + "{\"partition\":1,\"from\":2,\"to\":0}]}");

        assertThat(groups.describe("orders", "shipping").lag()).hasValue(5);
        assertThat(groups.describe("orders", "shipping").partitions().get(1).committed())
                .hasValue(0);
    }

    @Test
    void resetIsUndoneOnce() throws Exception {
        leave(member());
        server.talos("group", "reset", "orders", "shipping", "--to", "earliest", "--execute");
        String[] undo = {"group", "undo-reset", "orders", "shipping", "--execute"};

        assertThat(squeezed(server.talos("group", "undo-reset", "orders", "shipping")))
                .contains("\n1 0 2\n", "nothing is changed yet: --execute does it");
        assertThat(groups.describe("orders", "shipping").lag()).hasValue(5);
        assertThat(server.talos(undo)).endsWith("undone\n");

        assertThat(groups.describe("orders", "shipping").lag()).hasValue(3);
        server.err();
        assertThat(server.code(undo)).isEqualTo(1);
        assertThat(server.err()).contains("the group has no reset that could be undone");
    }

    @Test
    void resetGoesToEachKindOfPlaceInThePartitionsThatAreNamed() throws Exception {
        Set<Integer> second = Set.of(1);

        assertThat(groups.preview("orders", "new", GroupReset.toLatest()))
                .containsExactly(new Move(0, NEVER, 0), new Move(1, NEVER, 5));
        assertThat(groups.preview("orders", "new", GroupReset.toOffset(4).on(second)))
                .containsExactly(new Move(1, NEVER, 4));
        assertThat(groups.preview(
                        "orders", "new", GroupReset.toTime(Instant.EPOCH).on(second)))
                .containsExactly(new Move(1, NEVER, 0));
        assertThat(server.code("group", "describe", "orders", "new")).isEqualTo(3);
        assertThat(groups.reset("orders", "new", GroupReset.toOffset(4).on(second)))
                .containsExactly(new Move(1, NEVER, 4));
        assertThat(groups.describe("orders", "new").partitions().get(1).lag()).hasValue(1);
        assertThat(server.talos(
                        "group",
                        "reset",
                        "orders",
                        "new",
                        "--to",
                        "2100-01-01T00:00:00Z",
                        "--partition",
                        "1",
                        "--partition",
                        "0",
                        "--execute"))
                .endsWith("reset\n");
        assertThat(groups.describe("orders", "new").lag()).hasValue(0);
    }

    @Test
    void resetToAnOffsetThatAPartitionLacksChangesNothing() throws Exception {
        leave(member());

        assertThat(server.code("group", "reset", "orders", "shipping", "--to", "4", "--execute"))
                .isEqualTo(1);
        assertThat(server.err()).contains("MESSAGE_OFFSET_OUT_OF_RANGE", "partition 0");
        assertThat(groups.describe("orders", "shipping").lag()).hasValue(3);
    }

    @Test
    void groupWithMembersIsResetByForceOnlyAndNotDeleted() throws Exception {
        String member = member();
        String[] reset = {"group", "reset", "orders", "shipping", "--to", "latest", "--execute"};

        assertThat(server.code(reset)).isEqualTo(1);
        assertThat(server.code("group", "delete", "orders", "shipping", "--yes"))
                .isEqualTo(1);
        assertThat(server.err().lines().filter(line -> line.startsWith("talos: ")))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("CONSUMER_GROUP_STILL_WORKING"));
        server.talos("group", "reset", "orders", "shipping", "--to", "latest", "--execute", "--force");
        assertThat(groups.describe("orders", "shipping").lag()).hasValue(0);
        leave(member);
        assertThat(server.talos("group", "delete", "orders", "shipping", "--yes"))
                .isEqualTo("deleted shipping\n");

        assertThat(groups.list("orders")).isEmpty();
        assertThat(server.code("group", "delete", "orders", "shipping", "--yes"))
                .isEqualTo(3);
        assertThatThrownBy(() -> groups.describe("orders", "shipping"))
                .isInstanceOfSatisfying(
                        TalosClientException.class, e -> assertThat(e.code()).isEqualTo("CONSUMER_NOT_EXIST"));
    }

    @Test
    void whoMayReadTheGroupSeesItAndMovesNothing() throws Exception {
        leave(member());
        Path bob = Files.writeString(home.resolve("bob"), server.talos("user", "add", "bob"));
        server.talos("topic", "grant", "orders", "bob", "put");

        assertThat(server.code("group", "describe", "orders", "shipping", "--credentials", bob.toString()))
                .isEqualTo(1);
        server.talos("group", "grant", "orders", "shipping", "bob", "read");
        assertThat(server.talos("group", "describe", "orders", "shipping", "--credentials", bob.toString()))
                .contains("owner: admin\n", "granted to bob: read\n");
        server.talos("group", "revoke", "orders", "shipping", "bob");
        assertThat(server.code(
                        "group", "reset", "orders", "shipping", "--to", "latest", "--credentials", bob.toString()))
                .isEqualTo(1);
        assertThat(server.err()).contains("PERMISSION_DENIED_ERROR");
    }
}
