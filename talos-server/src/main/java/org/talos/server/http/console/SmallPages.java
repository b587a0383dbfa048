// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;

/**
 * The pages that list addresses, at {@code /} and {@code /v1}, and the one for unknown paths: HTML for clients that ask
 * for HTML, as browsers do, and JSON for all others.
 *
 * <p>Immutable.
 */
final class SmallPages {
    private static final String FOLDER = "org/talos/server/http/console/";
    private static final String HTML = "text/html";
    private static final Pattern STYLE = Pattern.compile("<style>(.*?)</style>", Pattern.DOTALL);
    /** The pages that exist only where the console does. */
    private static final Pattern OF_CONSOLE =
            Pattern.compile("<!-- console -->\\n(.*?)<!-- /console -->\\n", Pattern.DOTALL);

    private static final Map<Boolean, SmallPages> MADE = new ConcurrentHashMap<>(); // by whether there is a console

    private final Map<String, Small> byPath;
    private final Small nothing;
    private final Small off;

    /**
     * A page in both forms. Immutable.
     *
     * @param policy of its HTML
     */
    record Small(int status, Page html, String policy, Page json) {
        /** The form that a client wants. */
        PageAnswer answer(HttpFields asked) {
            boolean wantsHtml = asked.getQualityCSV(HttpHeader.ACCEPT).stream().anyMatch(each -> each.startsWith(HTML));
            PageAnswer answer = wantsHtml
                    ? PageAnswer.of(status, html, asked, policy, false)
                    : PageAnswer.of(status, json, asked, policy, false);
            return answer.with(
                    "Vary", html.isCompressible() || json.isCompressible() ? "Accept, Accept-Encoding" : "Accept");
        }
    }

    /**
     * Returns the pages, which are the same for all servers of this JVM.
     *
     * @param console whether there is one, and the page of the REST interface with it
     */
    static SmallPages of(boolean console) {
        return MADE.computeIfAbsent(console, SmallPages::new);
    }

    private SmallPages(boolean console) {
        Small start = small("start", console, places(console, "console", "rest", "api", "openapi", "documentation"));
        Small rest = small("rest", console, places(console, "api", "openapi", "documentation"));
        byPath = Map.of("/", start, "/v1", rest, "/v1/", rest);
        nothing = missing("nothing", "nothing is here: / says where things are");
        off = missing("off", "the console is switched off here (console.enabled)");
    }

    private static ObjectNode places(boolean console, String... names) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", "talos");
        for (String name : names) {
            switch (name) {
                case "rest" -> json.put(name, "/v1");
                case "openapi" -> json.put(name, "/v1/openapi.json");
                case "documentation" -> json.put(name, "/docs/");
                case "api" -> putIf(console, json, name, "/docs/api/");
                default -> putIf(console, json, name, "/console/");
            }
        }
        return json;
    }

    private static void putIf(boolean console, ObjectNode json, String name, String path) {
        if (console) {
            json.put(name, path);
        }
    }

    private static Small small(String name, boolean console, ObjectNode json) {
        return small(200, name, console, json);
    }

    private static Small missing(String name, String sentence) {
        return small(
                404, name, true, Problem.refused(404, "not-found", sentence).toJson(null));
    }

    private static Small small(int status, String name, boolean console, ObjectNode json) {
        String text = new String(Resources.read(FOLDER + name + ".html").orElseThrow(), StandardCharsets.UTF_8);
        String html = OF_CONSOLE.matcher(text).replaceAll(console ? "$1" : "");
        Matcher style = STYLE.matcher(html);
        if (!style.find()) {
            throw new IllegalStateException("a page without a style: " + name);
        }
        byte[] styled = style.group(1).getBytes(StandardCharsets.UTF_8);
        String policy = "default-src 'none'; img-src data:; style-src 'sha256-" + Page.base64Digest(styled)
                + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        byte[] line = (new String(Json.write(json), StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8);
        Page page = Page.of("text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
        return new Small(
                status, page, policy, Page.of(status == 200 ? "application/json" : Problem.CONTENT_TYPE, line));
    }

    /** The page of a path; empty if it is none of these. */
    Optional<Small> at(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    /** There is nothing. */
    Small nothing() {
        return nothing;
    }

    /** The console is switched off. */
    Small off() {
        return off;
    }
}
