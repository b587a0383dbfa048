// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;

/** The dialogs that the pages open, one after another, in each language. */
@Tag("full") // long
@Tag("servers")
class DialogsIT extends Reader {
    private static final String GROUP = "/v1/topics/orders/groups/shipping";
    private static final List<String> PAGES = List.of(
            "#/topics",
            "#/topics/orders",
            "#/topics/orders/messages",
            "#/topics/orders/groups/shipping",
            "#/topics/orders/access",
            "#/topics/orders/settings",
            "#/users");

    private static final String BUTTONS =
            "[...document.querySelectorAll('main button[type=button]:not(thead button), [data-action=settings]')]"
                    + ".filter(each => !each.disabled)";

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 1);
        put("orders", "{\"value\": \"paid\"}");
        JsonNode member = done("POST", GROUP + "/members", "{}");
        done("DELETE", GROUP + "/members/" + member.get("member").asText(), "");
        done("POST", "/v1/users", "{\"user\": \"ann\"}");
        done("PUT", "/v1/topics/orders/permissions/ann", "{\"get\": true}");
        done("PUT", GROUP + "/rights/ann", "{\"right\": \"read\"}");
        done("PUT", "/v1/topics/orders/quota", "{\"putsPerSecond\": 100}");
        done("PUT", "/v1/quotas/users/ann", "{\"putsPerSecond\": 100}");
    }

    private void load(String page) {
        visit(page);
        await(
                page + " is loaded",
                () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
    }

    /** Clicks a button, and returns the texts of the buttons of the dialog that this opens. */
    @SuppressWarnings("unchecked")
    private List<String> buttons(int opener) {
        String open = String.format(Locale.ROOT, """
                const done = arguments[arguments.length - 1];
                %s[arguments[0]].click();
                requestAnimationFrame(() => requestAnimationFrame(() => done(
                    [...document.querySelectorAll("dialog[open] button")].map(each => each.textContent.trim()))));
                """, BUTTONS);
        return (List<String>) Objects.requireNonNull(driver().executeAsyncScript(open, opener));
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "zh"})
    void noDialogHasTwoButtonsWithOneText(String language) {
        expectComplaint("status of 409"); // of a reset that is to be undone and was never made
        signIn(admin());
        driver().executeScript("localStorage.setItem('talos.language', arguments[0])", language);
        int opened = 0;
        for (String page : PAGES) {
            load(page);
            long openers = count(BUTTONS + ".length");
            for (int each = 0; each < openers; each++) {
                load(page);
                List<String> texts = buttons(each);
                opened += texts.isEmpty() ? 0 : 1;
                assertThat(texts).as("%s, button %s", page, each).doesNotHaveDuplicates();
            }
        }
        driver().executeScript("localStorage.clear()");
        assertThat(opened).isGreaterThan(PAGES.size());
    }
}
