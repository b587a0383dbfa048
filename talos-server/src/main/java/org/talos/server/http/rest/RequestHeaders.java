// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestDigest;
import org.talos.server.http.rest.json.ProblemException;

/**
 * The headers of a request that its route may read. A signature covers the headers that change the effect of the
 * request: the content type directly, and the others by a {@link RequestDigest}. The rest only selects the form of the
 * answer. Reading any other header is a bug, because a middleman could change it.
 *
 * <p>Immutable.
 */
public final class RequestHeaders {
    private static final String CONTENT_TYPE = "content-type";
    private static final Set<String> OF_FORM = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        // The framing headers state that there is a body, possibly an empty one; the digest covers its contents.
        Collections.addAll(OF_FORM, "accept", "sec-websocket-protocol", "content-length", "transfer-encoding");
    }

    private final HttpFields fields;

    RequestHeaders(HttpFields fields) {
        this.fields = fields;
    }

    /** Returns whether a header came at all. */
    public boolean contains(String name) {
        return fields.contains(known(name));
    }

    /** Returns the first value of a header; null if it did not come. */
    public @Nullable String first(String name) {
        return fields.get(known(name));
    }

    /**
     * Returns the value of a header that may come once.
     *
     * @throws ProblemException 400: it comes more than once
     */
    public String single(String name, String byDefault) {
        List<String> values = fields.getValuesList(known(name));
        if (values.size() > 1) {
            throw ProblemException.badRequest("header " + name + " comes more than once");
        }
        return values.isEmpty() ? byDefault : values.get(0);
    }

    /** Returns the elements of a header, which commas separate; quotes are kept. */
    public List<String> elements(String name) {
        return fields.getCSV(known(name), true);
    }

    /** Returns the elements of a header by their quality, best first. */
    public List<String> preferences(String name) {
        return fields.getQualityCSV(known(name));
    }

    /** Returns the content type and all headers that a digest covers, in the order of arrival. */
    public List<HttpField> covered() {
        List<HttpField> covered = new ArrayList<>(4);
        for (HttpField field : fields) {
            if (isCovered(field.getName())) {
                covered.add(field);
            }
        }
        return Collections.unmodifiableList(covered);
    }

    private static boolean isCovered(String name) {
        return name.equalsIgnoreCase(CONTENT_TYPE) || RequestDigest.covers(name);
    }

    private static String known(String name) {
        if (!isCovered(name) && !OF_FORM.contains(name)) {
            throw new IllegalStateException("no signature covers header " + name + ", which a route reads");
        }
        return name;
    }
}
