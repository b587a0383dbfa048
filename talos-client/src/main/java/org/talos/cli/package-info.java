/** The talos command: what it can do with a server. Entry type: {@link org.talos.cli.TalosCommand}. */
@NullMarked
package org.talos.cli;

import org.jspecify.annotations.NullMarked;
