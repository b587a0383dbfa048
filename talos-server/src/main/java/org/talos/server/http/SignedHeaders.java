// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.RequestSignature;
import org.talos.server.auth.SignedRequest;
import org.talos.server.service.call.ClientInfo;

/** Reads what the signature of a request covers, and what its client says of itself. Thread-safe. */
public final class SignedHeaders {
    private static final String SIGNED_PREFIX = "x-xiaomi-";
    private static final String REQUEST_ID = "id=";
    private static final int MAX_REQUEST_ID_CHARACTERS = 64;
    private static final Pattern NOT_IN_IDS = Pattern.compile("[^a-zA-Z0-9_-]");

    /** A Date header and its time; parsing one costs more than the rest of the headers together. */
    private record Date(String text, OptionalLong millis) {}

    private static volatile Date lastDate = new Date("", OptionalLong.empty());

    private SignedHeaders() {}

    /** Reads what the signature covers. The path is the service's own: requests reach it under no other spelling. */
    public static SignedRequest of(Request request, String path) {
        Map<String, List<String>> headers = new HashMap<>();
        for (HttpField field : request.getHeaders()) {
            String name = field.getLowerCaseName();
            if (isOfSignature(name)) {
                String value = field.getValue() == null ? "" : field.getValue();
                headers.computeIfAbsent(name, first -> new ArrayList<>(1)).add(value);
            }
        }
        return new SignedRequest(request.getMethod(), path, request.getHttpURI().getQuery(), headers);
    }

    private static boolean isOfSignature(String name) {
        return name.startsWith(SIGNED_PREFIX)
                || name.equals("authorization")
                || name.equals("content-md5")
                || name.equals("content-type")
                || name.equals("date")
                || name.equals("attached-info");
    }

    /** Reads what the client says of itself. */
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
        if (query != null) {
            for (String parameter : query.split("&", -1)) {
                if (parameter.startsWith(REQUEST_ID) && parameter.length() <= MAX_REQUEST_ID_CHARACTERS) {
                    return NOT_IN_IDS
                            .matcher(parameter.substring(REQUEST_ID.length()))
                            .replaceAll("?");
                }
            }
        }
        return request.getId();
    }
}
