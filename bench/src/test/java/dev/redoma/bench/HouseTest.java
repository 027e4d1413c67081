// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The house's plan, as ARCHITECTURE.md draws it: who may use whom.
class HouseTest {
    private static final Map<String, String> MAY_USE = Map.ofEntries(
            Map.entry("model", ""),
            Map.entry("kernel", "model"),
            Map.entry("http", "model"),
            Map.entry("store", "model"),
            Map.entry("policy", "model"),
            Map.entry("ledger", "store model"),
            Map.entry("pool", "kernel store model"),
            Map.entry("engine", "pool policy ledger store kernel model"),
            Map.entry("tiers", "engine kernel model"),
            Map.entry("gateway", "http engine policy ledger store kernel model"),
            Map.entry("client", "model"),
            Map.entry("protocols", "http engine model"),
            Map.entry("server", "http engine tiers gateway protocols pool ledger policy store kernel model"),
            Map.entry("cli", "client ledger kernel model"));

    private static JavaClasses house;

    @BeforeAll
    static void readTheHouse() {
        house = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.redoma");
    }

    @ParameterizedTest
    @ValueSource(strings = {"model", "kernel", "http", "store", "policy", "ledger", "pool", "engine", "tiers", "gateway", "client", "protocols", "server", "cli"})
    void aRoomUsesOnlyRoomsBelowIt(String room) {
        var allowed = Stream.concat(Stream.of(room), Arrays.stream(MAY_USE.get(room).split(" ")))
                .filter(name -> !name.isEmpty())
                .map(name -> "dev.redoma." + name + "..")
                .toArray(String[]::new);
        classes().that().resideInAPackage("dev.redoma." + room + "..")
                .should().onlyDependOnClassesThat(
                        resideOutsideOfPackage("dev.redoma..").or(resideInAnyPackage(allowed)))
                .check(house);
    }

    @Test
    void onlyTheKernelRoomTalksToForeignFunctions() {
        noClasses().that().resideOutsideOfPackages("dev.redoma.kernel..")
                .should().dependOnClassesThat(describe("the linker of the FFM API", c ->
                        c.getName().equals("java.lang.foreign.Linker") || c.getName().equals("java.lang.foreign.SymbolLookup")))
                .check(house);
    }

    @Test
    void onlyTwoRoomsKnowJetty() {
        noClasses().that().resideOutsideOfPackages("dev.redoma.http..", "dev.redoma.gateway..")
                .should().dependOnClassesThat().resideInAPackage("org.eclipse.jetty..")
                .check(house);
    }

    /// It would read configuration of all kinds, and run programs for it, outside of the surroundings that it is given there.
    @Test
    void onlyApplyKnowsTheLibraryForGit() {
        noClasses().that().resideOutsideOfPackage("dev.redoma.cli.apply..")
                .should().dependOnClassesThat().resideInAPackage("org.eclipse.jgit..")
                .check(house);
    }

    @Test
    void theClientNeedsTheJdkAlone() {
        classes().that().resideInAPackage("dev.redoma.client..")
                .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "javax.net..", "dev.redoma.client..", "dev.redoma.model..", "org.jspecify..")
                .check(house);
    }
}
