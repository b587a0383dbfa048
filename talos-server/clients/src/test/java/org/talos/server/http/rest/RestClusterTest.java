// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.http.rest.RestFixture.Answer;

/** The servers over REST, asked of one that stands alone. With others: the module of tests against daemons. */
@Timeout(60)
class RestClusterTest {
    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    @Test
    void serverThatStandsAloneSaysSo() throws Exception {
        for (Answer answer : List.of(
                rest.get("/v1/cluster"),
                rest.post("/v1/cluster/rebalance", BodyPublishers.noBody()),
                rest.send("PUT", "/v1/cluster/servers/one/drain", ""),
                rest.send("DELETE", "/v1/cluster/servers/one/drain", ""))) {
            assertThat(answer.status()).isEqualTo(422);
            assertThat(answer.json().get("code").textValue()).isEqualTo("operation-failed");
            assertThat(answer.json().get("detail").textValue()).contains("not one of several");
        }
    }

    @Test
    void clusterIsForAdministrators() throws Exception {
        NewCredential ann = new TalosAdmin(new TalosClient(rest.server.endpoint()).once())
                .addUser("ann", false, List.of(), List.of());
        rest.as(RestFixture.basic(ann.accessKey(), ann.secretKey()));

        assertThat(rest.get("/v1/cluster").status()).isEqualTo(403);
        assertThat(rest.send("PUT", "/v1/cluster/servers/one/drain", "").status())
                .isEqualTo(403);
    }

    @Test
    void moveThatNamesNoPartitionIsRefused() throws Exception {
        Answer answer = rest.send("POST", "/v1/cluster/moves", RestFixture.json("{'topic':'orders','server':'one'}"));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").textValue()).contains("partition");
    }
}
