// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WindowType;

/** Keys, quotas and rights that an administrator gives and takes at the console. */
@Tag("full") // browser
@Tag("servers")
class UsersIT extends Reader {
    private Key makeUser(String name) throws IOException, InterruptedException {
        JsonNode made = done("POST", "/v1/users", String.format(Locale.ROOT, "{\"user\": \"%s\"}", name));
        return new Key(made.get("accessKey").asText(), made.get("secretKey").asText());
    }

    private int status(Key key) throws IOException, InterruptedException {
        return rest(key, "GET", "/v1/topics", "").statusCode();
    }

    private List<String> grantees() throws IOException, InterruptedException {
        return done("GET", "/v1/topics/shared/permissions", "").findValuesAsText("grantee");
    }

    @Test
    void bothKeysHoldForAWhileAfterARotationAndNoneOnceTheUserIsDeleted() throws Exception {
        Key old = makeUser("bob");
        signIn(admin());
        visit("#/users");
        press("New key: bob");
        awaitInDialog("New key for bob");
        submit();
        Key made = new Key(
                await(By.cssSelector("dialog[open] [data-access]")).getText(),
                await(By.cssSelector("dialog[open] [data-secret]")).getText());
        press("I have saved it");
        awaitText("old key, until");
        assertThat(made.accessKey()).isNotEqualTo(old.accessKey());
        assertThat(status(made)).isEqualTo(200);
        assertThat(status(old)).isEqualTo(200);

        press("Delete: bob");
        awaitInDialog("Type bob to confirm");
        driver().switchTo().activeElement().sendKeys("bob");
        submit();
        awaitText("User bob has been deleted.");
        assertThat(status(made)).isEqualTo(401);
        assertThat(status(old)).isEqualTo(401);
    }

    @Test
    void quotaIsSetAndRemoved() throws Exception {
        makeUser("carl");
        signIn(admin());
        visit("#/users");
        type("quotaUser", "carl");
        press("Set a quota");
        type("putsPerSecond", "100");
        submit();
        awaitText("0/s of 100/s");

        press("Remove: carl");
        submit();
        awaitText("No user has a quota.");
    }

    @Test
    void signInOfAnotherUserInASecondTabEndsTheFirstOne() throws Exception {
        expectComplaint("status of 401"); // of what a page had asked for by itself when its session ended
        Key eva = makeUser("eva");
        signIn(admin());
        String first = driver().getWindowHandle();
        driver().switchTo().newWindow(WindowType.TAB);
        visit("#/topics");
        press("Sign out");
        await(By.id("sign-in"));
        enter(eva);
        await(By.cssSelector("[data-signed-in=eva]"));
        driver().close();
        driver().switchTo().window(first);

        awaitText("eva has signed in in another tab.");
        assertThat(driver().findElements(By.cssSelector("[data-signed-in]"))).isEmpty();
        press("Continue as eva");

        await(By.cssSelector("[data-signed-in=eva]"));
    }

    @Test
    void rightIsGivenAndTaken() throws Exception {
        makeUser("dora");
        makeTopic("shared", 1);
        signIn(admin());
        visit("#/topics/shared/access");
        awaitText("The owner keeps all permissions.");
        assertThat(driver().findElements(By.xpath("//tr[th[normalize-space(.)='admin']]//button")))
                .isEmpty();
        assertThat(driver().findElements(By.xpath("//section[@aria-labelledby='quota']//button[.='Remove']")))
                .as("no quota is set")
                .isEmpty();
        press("Grant permission");
        type("grantee", "dora");
        submit();
        await(By.xpath("//th[.='dora']"));
        assertThat(grantees()).contains("dora");

        press("Revoke: dora");
        submit();
        awaitText("dora no longer has any permission.");
        assertThat(grantees()).doesNotContain("dora");
    }
}
