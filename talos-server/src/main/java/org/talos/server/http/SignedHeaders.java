// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.common.auth.SignedHeader;
import org.talos.server.auth.SignedRequest;
import org.talos.server.service.call.ClientInfo;

/**
 * Reads the signed parts of a request, covered by the signature itself or by a {@link RequestDigest}, and the client's
 * description of itself.
 *
 * <p>Thread-safe.
 */
public final class SignedHeaders {
    private static final String SIGNED_PREFIX = "x-xiaomi-";
    private static final Set<String> OTHERS = anyCase("authorization", "content-md5", "content-type", "date");
    private static final String REQUEST_ID = "id=";
    private static final int MAX_REQUEST_ID_CHARACTERS = 64;

    /** A Date header and its time; parsing one costs more than the rest of the headers together. */
    private record Date(String text, OptionalLong millis) {}

    private static volatile Date lastDate = new Date("", OptionalLong.empty());

    private SignedHeaders() {}

    private static Set<String> anyCase(String... names) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        Collections.addAll(set, names);
        return Collections.unmodifiableSet(set);
    }

    /** Reads the signed parts. The path is the service's own: requests reach it under no other spelling. */
    public static SignedRequest of(Request request, String path) {
        List<SignedHeader> headers = new ArrayList<>();
        for (HttpField field : request.getHeaders()) {
            String name = field.getName();
            if (isOfSignature(name)) {
                headers.add(new SignedHeader(name, field.getValue() == null ? "" : field.getValue()));
            }
        }
        return new SignedRequest(request.getMethod(), path, request.getHttpURI().getQuery(), headers);
    }

    private static boolean isOfSignature(String name) {
        return name.regionMatches(true, 0, SIGNED_PREFIX, 0, SIGNED_PREFIX.length())
                || OTHERS.contains(name)
                || RequestDigest.covers(name);
    }

    /** Reads the client's description of itself. */
    public static ClientInfo client(Request request) {
        HttpFields headers = request.getHeaders();
        String agent = headers.get(HttpHeader.USER_AGENT);
        return new ClientInfo(agent == null ? "" : agent, date(headers.get(RequestSignature.DATE)), requestId(request));
    }

    private static OptionalLong date(@Nullable String header) {
        if (header == null) {
            return OptionalLong.empty();
        }
        Date known = lastDate;
        if (!known.text.equals(header)) { // it has whole seconds: most requests repeat the one before
            known = new Date(header, parsed(header));
            lastDate = known;
        }
        return known.millis;
    }

    private static OptionalLong parsed(String header) {
        try {
            return OptionalLong.of(ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant()
                    .toEpochMilli());
        } catch (DateTimeException e) {
            return OptionalLong.empty(); // signed, but not a date: the default deadline holds
        }
    }

    private static String requestId(Request request) {
        String query = request.getHttpURI().getQuery();
        for (int begin = 0; query != null && begin <= query.length(); ) {
            int separator = query.indexOf('&', begin);
            int end = separator < 0 ? query.length() : separator;
            if (query.startsWith(REQUEST_ID, begin) && end - begin <= MAX_REQUEST_ID_CHARACTERS) {
                return shown(query.substring(begin + REQUEST_ID.length(), end));
            }
            begin = end + 1;
        }
        return request.getId();
    }

    private static String shown(String id) {
        char[] characters = id.toCharArray();
        for (int i = 0; i < characters.length; i++) {
            if (!isOfIds(characters[i])) {
                characters[i] = '?';
            }
        }
        return new String(characters);
    }

    private static boolean isOfIds(char each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '_'
                || each == '-';
    }
}
