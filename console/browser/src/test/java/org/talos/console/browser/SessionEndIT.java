// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** A session that is left alone, at a server where that takes seconds. */
class SessionEndIT extends Reader {
    private static final String GROUP = "/v1/topics/orders/groups/shipping";
    private static final Duration LATER =
            Duration.ofSeconds(25); // the session and a request of the page, and some more
    private static final Duration IDLE = Duration.ofSeconds(8);
    private static final By VALUE = By.cssSelector("dialog [name=value]");

    @Override
    Map<String, String> settings() {
        return Map.of("TALOS_CONSOLE_SESSIONIDLE", IDLE.toSeconds() + "s");
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
        awaitInDialog("Your session has ended.");
        open("");
        await(By.id("sign-in"));
        assertThat(driver().manage().getCookies()).isEmpty();
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void whatWasTypedIsKeptWhenTheSessionEndsAndIsSentAfterTheNextSignIn() throws Exception {
        makeTopic("kept", 1);
        signIn(admin());
        expectComplaint("status of 401");
        visit("#/topics/kept/messages");
        press("Put");
        type("value", "paid");

        await(LATER, By.id("sign-in"));
        driver().switchTo().activeElement().sendKeys(Keys.ESCAPE, Keys.ESCAPE);
        enter(admin());
        await("signed in", () -> driver().findElements(By.id("sign-in")).isEmpty());

        assertThat(await(VALUE).getDomProperty("value")).isEqualTo("paid");
        submit();
        awaitInDialog("partition 0, offset 0");
    }

    @Test
    @Tag("full") // long
    @Tag("servers")
    void typingIsUseOfTheSession() throws Exception {
        makeTopic("typed", 1);
        signIn(admin());
        visit("#/topics/typed/messages");
        press("Put");
        long end = System.nanoTime() + IDLE.multipliedBy(3).dividedBy(2).toNanos();

        await("typed for longer than a session is idle", () -> {
            type("value", "x");
            return System.nanoTime() > end;
        });

        submit();
        awaitInDialog("partition 0, offset 0");
        assertThat(driver().findElements(By.id("sign-in"))).isEmpty();
    }
}
