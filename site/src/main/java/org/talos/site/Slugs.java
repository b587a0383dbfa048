// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The anchors of a page's headings, as GitHub makes them: small letters, spaces as hyphens, without punctuation, and a
 * number behind one that was there before.
 *
 * <p>Confined: to the reading of one page.
 */
final class Slugs {
    private final Map<String, Integer> used = new HashMap<>();

    String next(String heading) {
        StringBuilder slug = new StringBuilder();
        heading.strip().toLowerCase(Locale.ROOT).codePoints().forEach(each -> {
            if (each == ' ') {
                slug.append('-');
            } else if (Character.isLetterOrDigit(each) || each == '-' || each == '_') {
                slug.appendCodePoint(each);
            }
        });
        int before = used.merge(slug.toString(), 1, Integer::sum) - 1;
        return before == 0 ? slug.toString() : slug + "-" + before;
    }
}
