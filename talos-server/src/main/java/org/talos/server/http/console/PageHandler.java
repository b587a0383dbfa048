// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.http.HttpPort;

/**
 * Handles requests for a browser's pages: the console, the page of the REST interface, the documentation, and the pages
 * that list addresses. Passes on all other requests. Thread-safe.
 */
public final class PageHandler extends Handler.Wrapper {
    private static final String REST = "/v1/";
    private static final String CONSOLE = "/console/";
    private static final String CONSOLE_FOLDER = "org/talos/console/";
    private static final String API = "/docs/api/";
    private static final String API_FOLDER = "org/talos/api/";
    private static final String DOCS = "/docs/";
    private static final String DOCS_FOLDER = "org/talos/docs/";
    private static final List<String> PREFIXES = List.of(CONSOLE, API, DOCS); // the first that fits

    /** Everything is the server's own, and no script or style stands in a page. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final HttpPort.Parts parts;
    private final SmallPages small;
    private final List<StaticSite> sites;

    /**
     * Pages of a server.
     *
     * @param console whether there is one
     * @param others handles requests that are not for pages
     */
    public PageHandler(HttpPort.Parts parts, boolean console, Handler others) {
        super(others);
        this.parts = parts;
        small = SmallPages.of(console);
        StaticSite docs = StaticSite.open(DOCS, DOCS_FOLDER, POLICY);
        sites = console
                ? List.of(
                        StaticSite.open(CONSOLE, CONSOLE_FOLDER, POLICY),
                        StaticSite.open(API, API_FOLDER, POLICY),
                        docs)
                : List.of(docs);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getPath();
        Optional<PageExchange.Place> place =
                path == null || isOfApi(path) ? Optional.empty() : place(path, request.getMethod());
        if (place.isEmpty()) {
            return super.handle(request, response, callback);
        }
        new PageExchange(parts, request, response, callback, place.get()).begin();
        return true;
    }

    /** Most requests are not for pages; they cost one comparison. */
    private static boolean isOfApi(String path) {
        return path.startsWith(REST) && path.length() > REST.length();
    }

    private Optional<PageExchange.Place> place(String path, String method) {
        Optional<SmallPages.Small> page = isRead(method) ? small.at(path) : Optional.empty();
        if (page.isPresent()) {
            return page.map(PageExchange.Place::of);
        }
        return PREFIXES.stream()
                .filter(prefix -> path.startsWith(prefix) || prefix.equals(path + "/"))
                .findFirst()
                .map(prefix -> at(prefix, path, method));
    }

    private PageExchange.Place at(String prefix, String path, String method) {
        Optional<StaticSite> site =
                sites.stream().filter(each -> each.prefix().equals(prefix)).findFirst();
        if (site.isEmpty()) {
            return PageExchange.Place.of(small.off());
        }
        if (!isRead(method)) {
            return PageExchange.Place.notAllowed();
        }
        if (path.length() < prefix.length()) {
            return PageExchange.Place.elsewhere(path.substring(path.lastIndexOf('/') + 1) + "/");
        }
        return site.get()
                .find(path.substring(prefix.length()))
                .map(file -> PageExchange.Place.of(site.get(), file, small.nothing()))
                .orElseGet(() -> PageExchange.Place.of(small.nothing()));
    }

    private static boolean isRead(String method) {
        return HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method);
    }
}
