// SPDX-License-Identifier: Apache-2.0
/**
 * The pages of the front end for a browser: the console, the page of the REST interface, and pages that say where
 * things are. {@link org.talos.server.http.console.PageHandler} takes the requests; the files are resources of the
 * module {@code console} and of WebJars. Nothing here knows anybody: what needs a key, a page asks REST for.
 */
@NullMarked
package org.talos.server.http.console;

import org.jspecify.annotations.NullMarked;
