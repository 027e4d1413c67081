// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.model.Scope;
import dev.redoma.model.wire.ChangeUser;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.User;
import dev.redoma.server.keys.Users;
import java.util.List;

/// People: seen by operators, changed by admins.
final class UserRoutes {
    private static final String ALL = "/v1/users";

    private final Users users;

    UserRoutes(Users users) {
        this.users = users;
    }

    List<Operation> operations() {
        return List.of(
                get(ALL, "listUsers", "All people, those who are disabled too").needs(Scope.OPERATE).answersItems(User.class).by(c -> c.json(new Items<>(users.list()))),
                post(ALL, "createUser", "Somebody new; keys for them are made by themselves (admins)").needs(Scope.OPERATE).takes(CreateUser.class).answers(201, User.class)
                        .by(c -> c.http().json(201, users.create(c.caller(), c.http().json(CreateUser.class)))),
                put(ALL + "/{user}/role", "setRole", "Another role, in force at once; what is open by this person's keys ends (admins)").needs(Scope.OPERATE).takes(ChangeUser.class).answers(200, User.class)
                        .by(c -> c.json(users.role(c.caller(), c.parameter("user"), c.http().json(ChangeUser.class).role()))),
                delete(ALL + "/{user}", "disableUser", "Revokes all of this person's keys for good, open streams included (admins)").needs(Scope.OPERATE).answers(200, User.class)
                        .by(c -> c.json(users.disable(c.caller(), c.parameter("user")))));
    }
}
