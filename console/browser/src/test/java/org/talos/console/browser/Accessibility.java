// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.openqa.selenium.JavascriptExecutor;

/** Findings of axe on a page that a browser shows, by the rules of WCAG 2.1 A and AA. Immutable. */
final class Accessibility {
    private static final String SCRIPT = read("/axe.min.js");

    private static final String RUN = """
            const done = arguments[arguments.length - 1];
            const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
            axe.run(document, {runOnly: rules, resultTypes: ["violations"]}).then(
                found => done(found.violations.map(each =>
                    each.id + ": " + each.help + "\\n" + each.nodes.map(node => "  " + node.html).join("\\n"))),
                failure => done(["axe failed: " + failure]));
            """;

    private Accessibility() {}

    /** A text for each rule that the page breaks, with what of the page breaks it. */
    @SuppressWarnings("unchecked")
    static List<String> violations(JavascriptExecutor browser) {
        if (Boolean.FALSE.equals(browser.executeScript("return 'axe' in window"))) {
            browser.executeScript(SCRIPT); // half a megabyte, once for each page that is loaded
        }
        return (List<String>) Objects.requireNonNull(browser.executeAsyncScript(RUN));
    }

    private static String read(String resource) {
        try (InputStream in = AxeBuilder.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(resource, e);
        }
    }
}
