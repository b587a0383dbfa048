/**
 * A checker that does not believe the servers: {@link org.talos.bench.check.CheckCommand} judges them by what clients
 * were told, and by nothing that servers say of themselves.
 */
@NullMarked
package org.talos.bench.check;

import org.jspecify.annotations.NullMarked;
