/** How the client's calls travel. Not for programs: use org.talos.client. */
@NullMarked
package org.talos.client.transport;

import org.jspecify.annotations.NullMarked;
