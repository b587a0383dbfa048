/**
 * The front end: Jetty's connectors, and one handler that checks a request in order, reads its body, hands it to the
 * services and writes the answer. No thread waits for storage. Entry type: {@link org.talos.server.http.FrontEnd}.
 */
@NullMarked
package org.talos.server.http;

import org.jspecify.annotations.NullMarked;
