// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.http.FrontEnd;

/**
 * Takes requests for what a browser is shown: the console, the page of the REST interface, and the pages that say where
 * things are. Passes on all others. Thread-safe.
 */
public final class PageHandler extends Handler.Wrapper {
    private static final String CONSOLE = "/console/";
    private static final String CONSOLE_FOLDER = "org/talos/console/";
    private static final String API = "/docs/api/";
    private static final String API_FOLDER = "org/talos/api/";

    /** Everything is the server's own, and no script or style stands in a page. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final FrontEnd.Parts parts;
    private final SmallPages small;
    private final List<Site> sites; // none where there is no console

    /**
     * Pages of a server.
     *
     * @param console whether there is one
     * @param others takes what is no page
     */
    public PageHandler(FrontEnd.Parts parts, boolean console, Handler others) {
        super(others);
        this.parts = parts;
        small = new SmallPages(console);
        sites = console
                ? List.of(Site.open(CONSOLE, CONSOLE_FOLDER, POLICY), Site.open(API, API_FOLDER, POLICY))
                : List.of();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = request.getHttpURI().getPath();
        Optional<PageExchange.Place> place = path == null ? Optional.empty() : place(path, request.getMethod());
        if (place.isEmpty()) {
            return super.handle(request, response, callback);
        }
        new PageExchange(parts, request, response, callback, place.get()).begin();
        return true;
    }

    private Optional<PageExchange.Place> place(String path, String method) {
        Optional<SmallPages.Small> page = isRead(method) ? small.at(path) : Optional.empty();
        if (page.isPresent()) {
            return page.map(PageExchange.Place::of);
        }
        for (String prefix : List.of(CONSOLE, API)) {
            String withoutSlash = prefix.substring(0, prefix.length() - 1);
            if (path.startsWith(prefix) || path.equals(withoutSlash)) {
                return Optional.of(at(prefix, path, method));
            }
        }
        return Optional.empty();
    }

    private PageExchange.Place at(String prefix, String path, String method) {
        Optional<Site> found =
                sites.stream().filter(each -> each.prefix().equals(prefix)).findFirst();
        if (found.isEmpty()) {
            return PageExchange.Place.of(small.off());
        }
        if (!isRead(method)) {
            return PageExchange.Place.notAllowed();
        }
        if (path.length() < prefix.length()) {
            return PageExchange.Place.elsewhere(prefix.substring(prefix.lastIndexOf('/', prefix.length() - 2) + 1));
        }
        Site site = found.get();
        return site.find(path.substring(prefix.length()))
                .map(file -> PageExchange.Place.of(site, file, small.nothing()))
                .orElseGet(() -> PageExchange.Place.of(small.nothing()));
    }

    private static boolean isRead(String method) {
        return HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method);
    }
}
