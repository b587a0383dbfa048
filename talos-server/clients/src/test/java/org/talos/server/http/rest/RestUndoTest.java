// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;

/** Resets of groups that are looked at first, and undone, over REST. */
@Timeout(60)
class RestUndoTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String name = "orders-" + TOPICS.incrementAndGet();
    private final String topic = "/v1/topics/" + name;
    private final String group = topic + "/groups/shop";
    private final String resets = group + "/reset";
    private final String undo = resets + "/undo";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data, Map.of("SERVICE_MEMBERTTL", "10s"));
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    /**
     * Partition 0 has five messages, of which three are committed; partition 1 has two, and the group never came there.
     */
    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(name, 2);
        for (int i = 0; i < 5; i++) {
            put(0);
        }
        put(1);
        put(1);
        assertThat(reset("{'offset':3,'partitions':[0]}").get("preview").booleanValue())
                .isFalse();
    }

    private void put(int partition) throws Exception {
        assertThat(rest.send(
                                "POST",
                                topic + "/partitions/" + partition + "/messages",
                                json("{'messages':[{'value':'x'}]}"))
                        .status())
                .isEqualTo(200);
    }

    private JsonNode post(String path, String body) throws Exception {
        Answer answer = rest.send("POST", path, json(body));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    private JsonNode reset(String body) throws Exception {
        return post(resets, body);
    }

    /** Returns the group's offset; -1 if it has none. */
    private String committed() throws Exception {
        StringBuilder all = new StringBuilder();
        for (JsonNode each : rest.get(group).json().get("partitions")) {
            all.append(all.isEmpty() ? "" : " ").append(each.path("committed").asInt(-1));
        }
        return all.toString();
    }

    @Test
    void previewSaysWhatIsSkippedAndWhatIsRepeatedAndMovesNothing() throws Exception {
        JsonNode back = post(resets + "?preview=true", "{'to':'earliest'}");
        JsonNode ahead = post(resets + "?preview=true", "{'to':'latest'}");

        assertThat(back.get("preview").booleanValue()).isTrue();
        assertThat(back.get("partitions").get(0))
                .isEqualTo(RestFixture.JSON.readTree(json("{'partition':0,'from':3,'to':0,'skipped':0,'repeated':3}")));
        assertThat(ahead.get("partitions").get(0))
                .isEqualTo(RestFixture.JSON.readTree(json("{'partition':0,'from':3,'to':5,'skipped':2,'repeated':0}")));
        assertThat(ahead.get("partitions").get(1)).isEqualTo(RestFixture.JSON.readTree(json("{'partition':1,'to':2}")));
        assertThat(committed()).isEqualTo("3 -1");
    }

    @Test
    void undoPutsBackWhatTheResetHasMovedAlsoWhereTheGroupHadNeverBeen() throws Exception {
        reset("{'to':'latest'}");
        assertThat(committed()).isEqualTo("5 2");

        JsonNode preview = post(undo + "?preview=true", "");
        assertThat(committed()).isEqualTo("5 2");
        JsonNode undone = post(undo, "");

        assertThat(preview.get("preview").booleanValue()).isTrue();
        assertThat(undone.get("preview").booleanValue()).isFalse();
        assertThat(preview.get("partitions")).isEqualTo(undone.get("partitions"));
        assertThat(undone.get("partitions").get(0))
                .isEqualTo(RestFixture.JSON.readTree(json("{'partition':0,'from':5,'to':3,'skipped':0,'repeated':2}")));
        assertThat(undone.get("partitions").get(1))
                .isEqualTo(RestFixture.JSON.readTree(json("{'partition':1,'from':2}")));
        assertThat(committed()).isEqualTo("3 -1");
    }

    @Test
    void undoIsOfTheLastResetAndOnce() throws Exception {
        reset("{'offset':1,'partitions':[0]}");
        reset("{'offset':4,'partitions':[0]}");

        post(undo, "{}");

        assertThat(committed()).isEqualTo("1 -1");
        Answer again = rest.send("POST", undo, "");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().get("detail").textValue()).contains("no reset");
    }

    @Test
    void resetThatIsSentAgainIsUndoneAsTheFirst() throws Exception {
        reset("{'to':'earliest'}");
        reset("{'to':'earliest'}");

        post(undo, "");

        assertThat(committed()).isEqualTo("3 -1");
    }

    @Test
    void resetToTheEndThatIsSentAgainAfterAPutIsUndoneAsTheFirst() throws Exception {
        reset("{'to':'latest'}");
        put(0);
        reset("{'to':'latest'}");
        assertThat(committed()).isEqualTo("6 2");

        post(undo, "");

        assertThat(committed()).isEqualTo("3 -1");
    }

    /** For a partition in which a member has committed since, the reset is another one. */
    @Test
    void resetThatIsSentAgainAfterACommitIsUndoneToTheCommit() throws Exception {
        reset("{'to':'earliest'}");
        Answer joined = rest.send("POST", group + "/members", "{}");
        String member = group + "/members/" + joined.json().get("member").textValue();
        assertThat(rest.send("POST", member + "/commit", json("{'offsets':[{'partition':0,'offset':2}]}"))
                        .status())
                .isEqualTo(204);
        reset("{'to':'earliest','force':true}");
        assertThat(committed()).isEqualTo("0 0");

        post(undo, "{'force':true}");

        assertThat(committed()).isEqualTo("2 -1");
    }

    @Test
    void resetOfFurtherPartitionsIsAnother() throws Exception {
        reset("{'to':'latest','partitions':[0]}");
        reset("{'to':'latest'}");

        post(undo, "");

        assertThat(committed()).isEqualTo("5 -1");
    }

    @Test
    void undoWorksAfterARestart() throws Exception {
        reset("{'to':'earliest'}");
        rest.close();
        start();

        post(undo, "");

        assertThat(committed()).isEqualTo("3 -1");
    }

    @Test
    void undoIsRefusedWhileAMemberLivesUnlessItIsForced() throws Exception {
        reset("{'to':'earliest'}");
        assertThat(rest.send("POST", group + "/members", "{}").status()).isEqualTo(201);

        assertThat(rest.send("POST", undo, "").status()).isEqualTo(409);
        assertThat(post(undo, "{'preview':true}").get("partitions")).hasSize(2);
        post(undo, "{'force':true}");

        assertThat(committed()).isEqualTo("3 -1");
    }

    @Test
    void deletedGroupLeavesNoResetBehind() throws Exception {
        reset("{'to':'earliest'}");
        assertThat(rest.send("DELETE", group, "").status()).isEqualTo(204);

        assertThat(rest.send("POST", undo, "").status()).isEqualTo(409);
    }

    @Test
    void undoIsForWhoMayResetTheGroup() throws Exception {
        JsonNode ann = rest.send("POST", "/v1/users", json("{'user':'ann'}")).json();
        rest.send("POST", group + "/members", "{}"); // the group is the administrator's from now on
        String credentials =
                basic(ann.get("accessKey").textValue(), ann.get("secretKey").textValue());
        rest.as(credentials);
        assertThat(rest.send("POST", undo, "").status()).isEqualTo(403);
        rest.asAdmin();
        rest.send("PUT", topic + "/permissions/ann", json("{'get':true}"));

        rest.as(credentials);
        assertThat(rest.send("POST", undo + "?preview=true", "").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?preview=maybe", "?preview=", "?force=true"})
    void wrongParametersAreRefused(String query) throws Exception {
        assertThat(rest.send("POST", undo + query, "").status()).isEqualTo(400);
        assertThat(rest.send("POST", resets + query, json("{'to':'earliest'}")).status())
                .isEqualTo(400);
    }
}
