// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewCredential;
import org.talos.server.http.rest.RestFixture.Answer;

/** Tests how many groups a user can make on a topic from which the user may only get. */
@Timeout(60)
class RestGroupLimitTest {
    private static final String GROUPS = "/v1/topics/orders/groups/";

    @TempDir
    private Path data;

    private RestFixture rest;
    private String dan;
    private String eve;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data, Map.of("SERVICE_MAXGROUPSPERUSER", "2"));
        rest.createTopic("orders", 1);
        dan = reader("dan");
        eve = reader("eve");
        rest.as(dan);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private String reader(String user) throws Exception {
        NewCredential made = rest.server.admin().addUser(user, false, List.of(), List.of());
        rest.send("PUT", "/v1/topics/orders/permissions/" + user, json("{'put':false,'get':true}"));
        return RestFixture.basic(made.accessKey(), made.secretKey());
    }

    private Answer join(String group) throws Exception {
        return rest.send("POST", GROUPS + group + "/members", "{}");
    }

    private Answer reset(String group) throws Exception {
        return rest.send("POST", GROUPS + group + "/reset", json("{'to':'earliest'}"));
    }

    private static void assertTooMany(Answer answer) throws Exception {
        assertThat(answer.status()).as(answer.text()).isEqualTo(429);
        assertThat(answer.json().get("code").textValue()).isEqualTo("quota-exceeded");
        assertThat(answer.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(answer.json().get("detail").textValue()).contains("service.maxGroupsPerUser");
    }

    @Test
    void userWhoHasTheMostGroupsMakesNoFurtherOneAndUsesThoseThatAreThere() throws Exception {
        assertThat(join("one").status()).isEqualTo(201);
        assertThat(join("two").status()).isEqualTo(201);

        assertTooMany(join("three"));
        assertThat(join("two").status()).isEqualTo(201);
        rest.as(eve);
        assertThat(join("three").status())
                .as("another user has groups of their own")
                .isEqualTo(201);
    }

    @Test
    void groupThatIsDeletedMakesRoom() throws Exception {
        assertThat(join("one").status()).isEqualTo(201);
        String member = join("two").json().get("member").textValue();
        rest.send("DELETE", GROUPS + "two/members/" + member, "");

        assertThat(rest.send("DELETE", GROUPS + "two", "").status()).isEqualTo(204);

        assertThat(join("three").status()).isEqualTo(201);
    }

    @Test
    void ownerOfTheTopicHasTenTimesAsMany() throws Exception {
        rest.asAdmin();
        for (int i = 0; i < 20; i++) {
            assertThat(join("group" + i).status()).isEqualTo(201);
        }

        assertTooMany(join("beyond"));
        assertThat(join("group3").status()).isEqualTo(201);
    }

    @Test
    void groupsThatAreOnlyResetAreBoundedToo() throws Exception {
        assertThat(reset("one").status()).isEqualTo(200);
        assertThat(reset("two").status()).isEqualTo(200);

        assertTooMany(reset("three"));
        assertThat(reset("two").status()).isEqualTo(200);
        rest.asAdmin();
        assertThat(reset("three").status()).as("the topic's owner").isEqualTo(200);
    }
}
