// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/** A file that is put at the console of a server with little memory for requests. */
@Tag("full") // browser
@Tag("servers")
class PutFileIT extends Reader {
    private static final int LARGEST = 10 << 20;

    @Override
    Map<String, String> settings() {
        return Map.of("TALOS_HTTP_MAXREQUESTMEMORYBYTES", "64MiB"); // as JSON, the file would take more than twice that
    }

    @Test
    void largestFileIsPutAsItsBytesWithKeyAndHeaders(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("large"), "x".repeat(LARGEST));
        makeTopic("files", 1);
        signIn(admin());
        visit("#/topics/files/messages");
        press("Put");
        choose("form", "file");
        await(By.cssSelector("dialog[open] input[type=file]")).sendKeys(file.toString());
        type("key", "order-17");
        type("headers", "Trace: ä");

        submit();

        awaitInDialog("partition 0, offset 0");
        HttpResponse<String> stored = rest("GET", "/v1/topics/files/partitions/0/messages/0", "");
        assertThat(stored.body()).hasSize(LARGEST);
        assertThat(stored.headers().firstValue("Talos-Key")).hasValue("order-17");
        assertThat(stored.headers().firstValue("Talos-Header-trace")).hasValue("%C3%A4");
    }
}
