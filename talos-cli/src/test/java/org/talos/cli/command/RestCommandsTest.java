// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.cli.command.ScriptedCommand.NOTHING;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ScriptedServer.Asked;

/** Tests the commands that servers offer over REST alone: a new key, and the undo of a reset. */
@Timeout(30)
class RestCommandsTest {
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final String NEW_KEY = "{\"user\":\"ann\",\"accessKey\":\"TK2\",\"secretKey\":\"s3cret\"}";
    private static final String MOVED =
            "{\"preview\":true,\"partitions\":[{\"partition\":0,\"from\":9,\"to\":4},{\"partition\":1,\"from\":2}]}";

    private final Path home;

    @AutoClose
    private final ScriptedCommand talos;

    RestCommandsTest(@TempDir Path home) throws IOException {
        this.home = home;
        talos = new ScriptedCommand(home);
    }

    private Asked asked() {
        return talos.server.asked().get(0);
    }

    private static String body(Asked asked) {
        return new String(asked.body(), UTF_8);
    }

    @Test
    void newKeyIsPrintedAsAFileOfCredentials() {
        talos.server.then(status(200, JSON, NEW_KEY));

        assertThat(talos.call("user", "rotate", "ann")).as(talos.err()).isZero();

        assertThat(talos.out())
                .isEqualTo("# user ann: keep this; the secret is not shown again\naccessKey=TK2\nsecretKey=s3cret\n");
        assertThat(asked().method()).isEqualTo("POST");
        assertThat(asked().uri()).isEqualTo("/v1/users/ann/key");
        assertThat(body(asked())).isEqualTo("{\"graceSeconds\": 0}");
    }

    /** The secret would be readable on the way, without TLS. */
    @Test
    void requestIsSignedAndHasNoSecret() {
        talos.server.then(status(200, JSON, NEW_KEY));

        talos.call("user", "rotate", "ann");

        assertThat(asked().header("Authorization")).startsWith("Galaxy-V3 AKENV:");
        assertThat(asked().header("X-Xiaomi-Request-Digest")).startsWith("v1:");
        assertThat(asked().headers().toString()).doesNotContain("env-secret");
    }

    @Test
    void newKeyGoesToAFileThatNobodyElseReadsAndTheOldOneHasAGrace() throws Exception {
        talos.server.then(status(200, JSON, NEW_KEY));
        Path file = home.resolve("keys/ann");

        assertThat(talos.call("user", "rotate", "ann", "--grace", "1h", "--out", file.toString()))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .isEqualTo("the key of ann is replaced; the key is in " + file + ", which nobody else may read\n");
        assertThat(body(asked())).isEqualTo("{\"graceSeconds\": 3600}");
        assertThat(Files.readString(file)).contains("accessKey=TK2\nsecretKey=s3cret\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void keyOfAMissingUserIsNotReplaced() {
        Path file = home.resolve("ann");
        talos.server.then(status(
                404,
                JSON,
                "{\"code\":\"user-not-exist\",\"detail\":\"there is no user ann\",\"outcome\":\"did-not-happen\"}"));

        assertThat(talos.call("user", "rotate", "ann", "--out", file.toString()))
                .isEqualTo(3);

        assertThat(talos.err()).isEqualTo("talos: USER_NOT_EXIST: there is no user ann\n");
        assertThat(file).doesNotExist();
    }

    @Test
    void rotationWithoutAnAnswerMayHaveHappened() {
        talos.server.then(NOTHING);

        assertThat(talos.call("user", "rotate", "ann")).isEqualTo(4);

        assertThat(talos.err()).contains("CONNECTION: no answer from").endsWith("(it may have happened)\n");
    }

    @Test
    void nextEndpointIsCalledWhenOneIsUnreachable() {
        talos.server.then(status(200, JSON, NEW_KEY));

        assertThat(talos.call("user", "rotate", "ann", "--endpoint", "http://127.0.0.1:1," + talos.server.uri()))
                .as(talos.err())
                .isZero();
    }

    @Test
    void clockOfTheServerIsLearned() {
        talos.server
                .then(status(412, Map.of("X-Xiaomi-Timestamp", "1800000000"), "{\"code\":\"clock\"}"))
                .then(status(200, JSON, NEW_KEY));

        assertThat(talos.call("user", "rotate", "ann")).as(talos.err()).isZero();

        assertThat(talos.server.asked().get(1).header("X-Xiaomi-Timestamp")).isEqualTo("1800000000");
    }

    @Test
    void unknownHostIsNoReasonToStartAServer() {
        assertThat(talos.call("user", "rotate", "ann", "--endpoint", "http://no-such-host.invalid:1"))
                .isEqualTo(1);

        assertThat(talos.err())
                .contains("the host of http://no-such-host.invalid:1 is unknown", "Next: 'talos profile show'")
                .doesNotContain("start a server");
    }

    @Test
    void undoIsShownFirst() {
        talos.server.then(status(200, JSON, MOVED));

        assertThat(talos.call("group", "undo-reset", "orders", "shipping"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out().replaceAll(" +", " "))
                .isEqualTo("PARTITION FROM TO\n 0 9 4\n 1 2 -\nnothing is changed yet: --execute does it\n");
        assertThat(asked().uri()).isEqualTo("/v1/topics/orders/groups/shipping/reset/undo");
        assertThat(body(asked())).isEqualTo("{\"preview\": true, \"force\": false}");
    }

    @Test
    void undoIsDoneWithExecute() {
        talos.server.then(status(200, JSON, MOVED));

        assertThat(talos.call("group", "undo-reset", "orders", "shipping", "--execute", "--force", "-o", "json"))
                .as(talos.err())
                .isZero();

        assertThat(talos.out())
                .isEqualTo("{\"preview\":false,\"partitions\":[{\"partition\":0,\"from\":9,\"to\":4},"
                        + "{\"partition\":1,\"from\":2}]}\n");
        assertThat(body(asked())).isEqualTo("{\"preview\": false, \"force\": true}");
    }

    @Test
    void previewOfAnUndoWithoutAnAnswerHasNoEffect() {
        talos.server.then(NOTHING);

        assertThat(talos.call("group", "undo-reset", "orders", "shipping", "-o", "json"))
                .isEqualTo(1);

        assertThat(talos.err()).contains("\"code\":\"CONNECTION\",\"outcome\":\"did-not-happen\"");
    }

    @Test
    void undoWithoutAResetIsRefused() {
        talos.server.then(status(
                409,
                JSON,
                "{\"code\":\"lock-value-not-expected\",\"detail\":\"the group has no reset that could be undone\","
                        + "\"outcome\":\"did-not-happen\"}"));

        assertThat(talos.call("group", "undo-reset", "orders", "shipping", "--execute"))
                .isEqualTo(1);

        assertThat(talos.err())
                .isEqualTo("talos: LOCK_VALUE_NOT_EXPECTED: the group has no reset that could be undone\n");
    }

    @Test
    void answerThatIsNoJsonIsOfAnotherProgram() {
        talos.server.then(status(404, Map.of("Content-Type", "text/html"), "<html>Welcome</html>"));

        assertThat(talos.call("user", "rotate", "ann")).isEqualTo(1);

        assertThat(talos.err()).contains("HTTP_404: no JSON: another program").doesNotContain("Welcome");
    }
}
