// SPDX-License-Identifier: Apache-2.0
/**
 * The pages of the front end for a browser: the console, the page of the REST interface, and the pages that list
 * addresses. {@link org.talos.server.http.console.PageHandler} handles the requests. The files are resources of the
 * module {@code console} and of WebJars. Pages are served without authentication; for everything that needs a key, a
 * page calls REST.
 */
@NullMarked
package org.talos.server.http.console;

import org.jspecify.annotations.NullMarked;
