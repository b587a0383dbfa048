// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** A session that is left alone, at a server where that takes seconds. */
class SessionEndIT extends ConsoleTest {
    @Override
    Map<String, String> settings() {
        return Map.of("TALOS_CONSOLE_SESSIONIDLE", "2s");
    }

    @Test
    void sessionThatIsNotUsedEndsThoughThePageAsksOnByItself() {
        signIn(admin());
        expectComplaint("401");

        await(
                "the session is over",
                () -> status("fetch('/v1/topics', {headers: {'Talos-Background': 'true'}})") == 401);

        open("");
        await(By.id("sign-in"));
        assertThat(driver().manage().getCookies()).isEmpty();
    }
}
