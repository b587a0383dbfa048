/**
 * A checker that does not believe the servers: {@link org.talos.check.CheckCommand} judges them by what clients were
 * told, and by nothing that servers say of themselves.
 */
@NullMarked
package org.talos.check;

import org.jspecify.annotations.NullMarked;
