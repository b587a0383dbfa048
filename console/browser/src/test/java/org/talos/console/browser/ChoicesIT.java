// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Tests the choices of a reader: the language, which is that of the browser first. */
class ChoicesIT extends Reader {
    private static final List<String> PAGES = List.of(
            "#/overview",
            "#/topics",
            "#/topics/orders",
            "#/topics/orders/messages",
            "#/topics/orders/messages?mode=tail",
            "#/topics/orders/groups",
            "#/topics/orders/access",
            "#/topics/orders/settings",
            "#/groups",
            "#/cluster",
            "#/users");

    @Override
    String language() {
        return "de-DE";
    }

    private void visitAllPages() {
        for (String page : PAGES) {
            visit(page);
            await(
                    page + " is loaded",
                    () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
            assertThat(driver().findElements(By.cssSelector("[role=alert]")))
                    .as(page)
                    .isEmpty();
        }
    }

    /** A text that is missing is a complaint of the browser, which fails the test. */
    @Test
    @Tag("full") // long
    @Tag("servers")
    void pagesSpeakTheBrowsersLanguageUntilAnotherIsChosen() throws Exception {
        makeTopic("orders", 2);
        open("");
        awaitText("Bei Talos anmelden");
        signIn(admin());
        visitAllPages();

        press("Einstellungen");
        choose("language", "zh");
        awaitInDialog("键盘快捷键");
        visitAllPages();
        visit("#/cluster");
        assertThat(await(By.tagName("h1")).getText()).isEqualTo("集群");
        assertThat(driver().executeScript("return document.documentElement.lang"))
                .isEqualTo("zh");
        driver().executeScript("localStorage.clear()");
    }
}
