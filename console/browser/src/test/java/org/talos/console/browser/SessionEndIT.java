// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** A session that is left alone, at a server where that takes seconds. */
class SessionEndIT extends Reader {
    private static final String GROUP = "/v1/topics/orders/groups/shipping";
    private static final Duration LATER =
            Duration.ofSeconds(25); // the session and a request of the page, and some more

    @Override
    Map<String, String> settings() {
        return Map.of("TALOS_CONSOLE_SESSIONIDLE", "8s");
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void sessionThatIsNotUsedEndsThoughThePageAsksOnByItself() throws Exception {
        makeTopic("orders", 1);
        JsonNode member = done("POST", GROUP + "/members", "{}");
        done("DELETE", GROUP + "/members/" + member.get("member").asText(), "");
        signIn(admin());
        expectComplaint("status of 401");

        visit("#/topics/orders/groups/shipping"); // which asks every five seconds

        await(LATER, By.id("sign-in"));
        awaitText("Your session has ended.");
        open("");
        await(By.id("sign-in"));
        assertThat(driver().manage().getCookies()).isEmpty();
    }
}
