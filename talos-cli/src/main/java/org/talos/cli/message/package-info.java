/** Messages outside of the server: lines and files to put, and the printed form of messages. */
@NullMarked
package org.talos.cli.message;

import org.jspecify.annotations.NullMarked;
