// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;

/** Signing in and out at the console. */
class SessionIT extends ConsoleTest {
    private static final By FORM = By.id("sign-in");
    private static final By ALERT = By.cssSelector("[role=alert]");
    private static final By SIGN_OUT = By.cssSelector("[data-action=sign-out]");
    private static final By SETTINGS = By.cssSelector("[data-action=settings]");
    private static final By SIGN_OUT_EVERYWHERE = By.cssSelector("[data-action=sign-out-everywhere]");

    private Set<Cookie> cookies() {
        return driver().manage().getCookies();
    }

    @Test
    void whoSignsInIsKnownAgainWhenThePageIsLoadedAgain() {
        signIn(admin());
        open("");

        assertThat(await(By.cssSelector("[data-signed-in]")).getDomAttribute("data-signed-in"))
                .isEqualTo("admin");
        assertThat(cookies())
                .singleElement()
                .satisfies(cookie -> assertThat(cookie.isHttpOnly()).isTrue())
                .satisfies(cookie -> assertThat(cookie.getSameSite()).isEqualTo("Strict"));
        assertThat(driver().executeScript("return document.cookie")).isEqualTo("");
    }

    @Test
    void signInPageBreaksNoRuleOfAccessibility() {
        open("");
        await(FORM);

        expectAccessible();
    }

    @Test
    void cookieThatNobodyKnowsIsForgottenAndAsksToSignIn() {
        signIn(admin());
        Cookie session = cookies().iterator().next();
        driver().manage().deleteAllCookies();
        driver().get(origin() + "/"); // asks for no session, and a cookie can be added to a page of the server alone
        driver().manage()
                .addCookie(new Cookie.Builder(session.getName(), session.getValue() + "x")
                        .path(session.getPath())
                        .build());
        expectComplaint("status of 401");

        open("");

        await(FORM);
        assertThat(cookies()).isEmpty();
    }

    @Test
    void wrongKeyIsSaidAndSignsNobodyIn() {
        expectComplaint("status of 401");
        open("");
        enter(new Key(admin().accessKey(), "wrong"));

        awaitText("The access key is unknown or the secret is wrong.");
        assertThat(await(ALERT).isDisplayed()).isTrue();
        assertThat(await(FORM).isDisplayed()).isTrue();
        assertThat(cookies()).isEmpty();
    }

    @Test
    void whatChangesSomethingIsRefusedWithoutTheTokenOfTheSession() {
        expectComplaint("status of 403");
        signIn(admin());

        assertThat(status("fetch('/v1/topics')")).isEqualTo(200);
        assertThat(status("fetch('/v1/session', {method: 'DELETE'})")).isEqualTo(403);
        assertThat(status("fetch('/v1/topics')")).as("the session continues").isEqualTo(200);
    }

    @Test
    void pageOfAnotherOriginCanDoNothing() {
        signIn(admin());
        driver().get("data:text/html,<title>elsewhere</title>");
        expectComplaint("CORS");
        expectComplaint("net::ERR_FAILED");

        assertThat(status("fetch('" + origin() + "/v1/topics', {credentials: 'include'})"))
                .isEqualTo(-1);
        assertThat(status("fetch('" + origin() + "/v1/session', {credentials: 'include', method: 'DELETE'})"))
                .isEqualTo(-1);
        open("");
        await(By.cssSelector("[data-signed-in]"));
    }

    @Test
    void pageFollowsATopicBySessionInBothWays() throws Exception {
        assertThat(rest("POST", "/v1/topics", "{\"name\":\"orders\",\"partitions\":1}")
                        .statusCode())
                .isEqualTo(201);
        signIn(admin());

        assertThat(driver().executeAsyncScript("""
                        const done = arguments[arguments.length - 1];
                        const tail = new EventSource("/v1/topics/orders/partitions/0/events");
                        tail.onopen = () => { tail.close(); done("open"); };
                        tail.onerror = () => { tail.close(); done("refused"); };
                        """)).isEqualTo("open");
        assertThat(driver().executeAsyncScript("""
                        const done = arguments[arguments.length - 1];
                        const url = new URL("/v1/topics/orders/stream", location.href.replace("http", "ws"));
                        const stream = new WebSocket(url, "talos.v1.json");
                        stream.onopen = () => { stream.close(); done(stream.protocol); };
                        stream.onerror = () => done("refused");
                        """)).isEqualTo("talos.v1.json");
    }

    @Test
    void whoSignsOutIsNobodyAnyMore() {
        expectComplaint("status of 401"); // of what the page had asked for by itself when the session ended
        signIn(admin());
        Cookie before = cookies().iterator().next();

        click(SIGN_OUT);

        await(FORM);
        assertThat(cookies()).isEmpty();
        driver().manage().addCookie(before);
        open("");
        await(FORM);
    }

    @Test
    void whoSignsOutEverywhereIsNobodyInTheOtherWindowEither() {
        expectComplaint("status of 401"); // of what the page had asked for by itself when the session ended
        signIn(admin());
        Cookie other = cookies().iterator().next();
        driver().manage().deleteAllCookies();
        signIn(admin());

        click(SETTINGS);
        click(SIGN_OUT_EVERYWHERE);

        await(FORM);
        driver().manage().addCookie(other);
        open("");
        await(FORM);
    }
}
