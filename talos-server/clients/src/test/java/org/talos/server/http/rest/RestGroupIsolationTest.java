// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.GroupRight;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.thrift.ErrorCode;

/** Groups of two users who may both get from one topic: over REST, and by the calls of {@code bin/talos}. */
@Timeout(90)
class RestGroupIsolationTest {
    private static final String GROUP = "/v1/topics/orders/groups/shop";

    @TempDir
    private Path data;

    private final Map<String, TalosEndpoint> users = new HashMap<>();
    private RestFixture rest;
    private String member;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data);
        rest.createTopic("orders", 2);
        for (String user : List.of("dan", "eve")) {
            NewCredential made = new TalosAdmin(new TalosClient(rest.server.endpoint()).once())
                    .addUser(user, false, List.of(), List.of());
            users.put(user, new TalosEndpoint(rest.server.uri(), made.accessKey(), made.secretKey()));
            assertThat(rest.send("PUT", "/v1/topics/orders/permissions/" + user, json("{'get':true}"))
                            .status())
                    .isEqualTo(204);
        }
        rest.send(
                "POST", "/v1/topics/orders/partitions/0/messages", json("{'messages':[{'value':'a'},{'value':'b'}]}"));
        as("dan");
        Answer joined = rest.send("POST", GROUP + "/members", "{}");
        member = joined.json().get("member").textValue();
        assertThat(commit(1)).isEqualTo(204);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private TalosEndpoint endpoint(String user) {
        return Objects.requireNonNull(users.get(user), user);
    }

    private void as(String user) {
        TalosEndpoint endpoint = endpoint(user);
        rest.as(basic(endpoint.accessKey(), endpoint.secretKey()));
    }

    private GroupAdmin admin(String user) {
        return new GroupAdmin(new TalosClient(endpoint(user)).once());
    }

    private int commit(int offset) throws Exception {
        return post("/members/" + member + "/commit", "{'offsets':[{'partition':0,'offset':" + offset + "}]}");
    }

    private int post(String path, String body) throws Exception {
        return rest.send("POST", GROUP + path, json(body)).status();
    }

    private int delete(String path) throws Exception {
        return rest.send("DELETE", GROUP + path, "").status();
    }

    private int committed() throws Exception {
        return rest.get(GROUP).json().get("partitions").get(0).get("committed").intValue();
    }

    @Test
    void strangerDoesNothingAsAnothersMember() throws Exception {
        as("eve");

        assertThat(commit(2)).isEqualTo(403);
        assertThat(post("/members/" + member + "/fetch", "{}")).isEqualTo(403);
        assertThat(post("/members/" + member + "/heartbeat", "")).isEqualTo(403);
        assertThat(delete("/members/" + member)).isEqualTo(403);
        as("dan");
        assertThat(committed()).isEqualTo(1);
        assertThat(commit(2)).isEqualTo(204);
    }

    @Test
    void strangerNeitherJoinsNorSeesNorMovesNorDeletesAGroup() throws Exception {
        assertThat(delete("/members/" + member)).isEqualTo(204);
        as("eve");

        assertThat(post("/members", "{}")).isEqualTo(403);
        assertThat(rest.get(GROUP).status()).isEqualTo(403);
        assertThat(post("/reset", "{'to':'latest'}")).isEqualTo(403);
        assertThat(delete("")).isEqualTo(403);
        as("dan");
        assertThat(committed()).isEqualTo(1);
        assertThat(post("/reset", "{'to':'latest'}")).isEqualTo(200);
        assertThat(delete("")).isEqualTo(204);
    }

    @Test
    void strangerNeitherSeesNorMovesNorDeletesAGroupByTheSignedCalls() throws Exception {
        assertThat(delete("/members/" + member)).isEqualTo(204);
        GroupAdmin eve = admin("eve");

        assertDenied(() -> eve.describe("orders", "shop"));
        assertDenied(() -> eve.reset("orders", "shop", GroupReset.toLatest()));
        assertDenied(() -> eve.delete("orders", "shop"));
        assertThat(eve.list("orders")).containsExactly("shop");
        assertThat(committed()).isEqualTo(1);
        admin("dan").delete("orders", "shop");
    }

    @Test
    void ownerLetsAnotherUseTheGroup() throws Exception {
        assertThat(rest.send("PUT", GROUP + "/rights/eve", json("{'right':'commit'}"))
                        .status())
                .isEqualTo(204);
        assertThat(rest.send("PUT", GROUP + "/rights/eve", json("{'right':'all'}"))
                        .status())
                .isEqualTo(400);
        assertThat(rest.get(GROUP).json().get("owner").textValue()).isEqualTo("dan");
        assertThat(rest.get(GROUP).json().get("grants").toString())
                .isEqualTo(json("[{'grantee':'eve','right':'commit'}]"));
        as("eve");

        assertThat(post("/members", "{}")).isEqualTo(201);
        assertThat(commit(2)).as("as another's member").isEqualTo(403);
        assertThat(delete("/rights/eve")).isEqualTo(403);
        as("dan");
        assertThat(delete("/rights/eve")).isEqualTo(204);
        assertThat(rest.get(GROUP).json().get("grants")).isEmpty();
        as("eve");
        assertThat(post("/members", "{}")).isEqualTo(403);
    }

    @Test
    void ownerLetsAnotherUseTheGroupByTheSignedCalls() throws Exception {
        GroupAdmin dan = admin("dan");

        dan.grant("orders", "shop", Grantee.of("eve"), GroupRight.READ);

        assertThat(admin("eve").describe("orders", "shop").owner()).contains("dan");
        assertThat(admin("eve").describe("orders", "shop").grants())
                .containsExactly(Map.entry(Grantee.of("eve"), GroupRight.READ));
        assertDenied(() -> admin("eve").reset("orders", "shop", GroupReset.toLatest()));
        dan.revoke("orders", "shop", Grantee.of("eve"));
        assertDenied(() -> admin("eve").describe("orders", "shop"));
    }

    private static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TalosClientException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED_ERROR.name()));
    }
}
