/** The server as a whole: builds its parts from the configuration, starts them in order and stops them in reverse. */
@NullMarked
package org.talos.server;

import org.jspecify.annotations.NullMarked;
