// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The largest page that the server shows without a key. Immutable. */
final class PublicPage {
    private static final String INDEX = "/docs/api/";
    private static final Pattern SCRIPT = Pattern.compile("src=\"([^\"]*swagger-ui-bundle\\.js)\"");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private PublicPage() {}

    /** Returns the path of the page, which has a digest of its build in it. */
    static String path(URI server) throws IOException {
        URI index = server.resolve(INDEX);
        Matcher script = SCRIPT.matcher(new String(get(index), StandardCharsets.UTF_8));
        if (!script.find()) {
            throw new IOException("no script in " + index);
        }
        return index.resolve(script.group(1)).getPath();
    }

    /** Returns the bytes of the page. */
    static byte[] of(Victim victim) throws IOException {
        return get(URI.create("http://" + victim.authority() + victim.page()));
    }

    private static byte[] get(URI uri) throws IOException {
        try {
            var answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw new IOException(uri + ": " + answer.statusCode());
            }
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
